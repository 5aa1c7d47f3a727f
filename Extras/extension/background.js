// Hands downloads and links over to Ferry, and shows progress in the button.

import { Host } from './host.js';
import { badge, fieldsOf, hasSize, referrerFor, takesOver, urlOf, usual } from './rules.js';

const host = new Host(summary => {
  chrome.action.setBadgeText({ text: badge(summary) });
  chrome.storage.session?.set({ summary });
});

const settings = async () => ({ ...usual, ...await chrome.storage.local.get(null) });

/** The cookies for a URL, from a Firefox container if there is one. */
const cookiesOf = (url, storeId) => chrome.cookies.getAll({ url, ...(storeId ? { storeId } : {}) }).catch(() => []);

/** The header fields that the browser would send for a URL. */
async function fields(url, referrer, storeId) {
  const cookies = await cookiesOf(url, storeId);
  return fieldsOf({ cookies, referrer, userAgent: navigator.userAgent, languages: navigator.languages.join(',') });
}

async function hand(url, referrer, storeId) {
  const { ids } = await host.call('add', { downloads: [{ url, headers: await fields(url, referrer, storeId) }] });
  host.call('watch').catch(() => {});
  // Clear an earlier error.
  chrome.action.setTitle({ title: 'Ferry' });
  return ids[0];
}

/** Shows an error in the button and its title. */
function complain(error) {
  chrome.action.setBadgeText({ text: '!' });
  chrome.action.setTitle({ title: `Ferry: ${error.message}` });
}

// MARK: Downloads of the browser

/** Downloads of unknown size. Firefox reports downloads before the response has arrived. */
const undecided = new Set();
/** Milliseconds to wait for a download's size. */
const patience = 2000;

/** Downloads that Ferry takes over. Each is handed over once. */
const claimed = new Set();

async function consider(item) {
  if (!takesOver(item, await settings()) || claimed.has(item.id)) return;
  claimed.add(item.id);
  undecided.delete(item.id);
  // Pause the download while asking Ferry. If Ferry refuses it, the browser continues.
  await chrome.downloads.pause(item.id).catch(() => {});
  try {
    const cookies = await cookiesOf(item.finalUrl || item.url, item.cookieStoreId);
    await hand(urlOf(item, cookies), item.referrer, item.cookieStoreId);
    await chrome.downloads.cancel(item.id).catch(() => {});
    await chrome.downloads.erase({ id: item.id });
  } catch (error) {
    await chrome.downloads.resume(item.id).catch(() => {});
    complain(error);
  }
}

async function considerAgain(id) {
  if (!undecided.has(id)) return;
  const [item] = await chrome.downloads.search({ id });
  if (item) consider(item);
}

chrome.downloads.onCreated.addListener(item => {
  if (!hasSize(item)) {
    undecided.add(item.id);
    setTimeout(async () => {
      await considerAgain(item.id);
      undecided.delete(item.id);
    }, patience);
  }
  consider(item);
});
chrome.downloads.onChanged.addListener(({ id }) => considerAgain(id));

// MARK: Links

const menu = 'download';
chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({ id: menu, title: chrome.i18n.getMessage('download'), contexts: ['link', 'image', 'video', 'audio'] });
});
chrome.contextMenus.onClicked.addListener(({ linkUrl, srcUrl, pageUrl }, tab) => {
  const url = linkUrl ?? srcUrl;
  // Links of private windows are not handed over.
  if (tab?.incognito) return complain(new Error(chrome.i18n.getMessage('private')));
  hand(url, referrerFor(url, pageUrl), tab?.cookieStoreId).catch(complain);
});

// MARK: The popup

const calls = {
  list: () => host.call('list'),
  act: ({ action, ids }) => host.call('act', { action, ids }),
  async page() {
    const { url } = await host.call('page');
    await chrome.tabs.create({ url });
    return {};
  },
};
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const call = calls[message.call];
  if (!call || sender.id !== chrome.runtime.id) return false;
  call(message).then(result => answer({ result }), error => answer({ error: error.message }));
  return true;
});

host.call('watch').catch(() => {});
