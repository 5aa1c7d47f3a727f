// In pages: tells the extension that a click with Alt leaves its download to the browser.

addEventListener('click', event => {
  if (!event.isTrusted || !event.altKey) return;
  chrome.runtime.sendMessage({ call: 'leave' }).catch(() => {});
  const link = event.composedPath().find(node => node.localName === 'a' && node.href);
  if (!link || event.ctrlKey || event.shiftKey || event.metaKey || !navigator.userAgent.includes('Firefox')) return;
  // Firefox does nothing at such a click.
  event.preventDefault();
  link.click();
}, { capture: true });
