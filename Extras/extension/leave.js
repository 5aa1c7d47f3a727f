// In pages: tells the extension that a click with Alt leaves its download to the browser.

addEventListener('click', event => {
  if (event.altKey) chrome.runtime.sendMessage({ call: 'leave' }).catch(() => {});
}, { capture: true });
