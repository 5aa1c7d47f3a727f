// Hands downloads and links over to Ferry, and shows progress and failures in the button.

import { Asking } from './asking.js';
import { chromium } from './chromium.js';
import { firefox, isFirefox } from './firefox.js';
import { Handovers } from './handover.js';
import { Host } from './host.js';
import { Notices } from './notices.js';
import { RequestLog } from './requests.js';
import { usual } from './rules.js';
import { change, stored, without } from './store.js';

const kind = isFirefox ? firefox : chromium;
const requests = new RequestLog();
const asking = new Asking();
const notices = new Notices(kind);
const host = new Host(summary => {
  notices.show(summary);
  // Ferry has answered: what an earlier run left open can end now.
  if (summary.event) handovers.recover().catch(() => {});
});

const settings = async () => ({ ...usual, ...await chrome.storage.local.get(Object.keys(usual)) });

// MARK: What handing over needs of the browser

/** The tab in which the user has held the key, and until when that counts. */
let left = { tab: -1, until: 0 };

/** Offers by key. They are stored before each step, so that none is lost when the browser ends. */
const pending = {
  all: () => stored('pending'),
  set: (key, entry) => change('pending', all => ({ ...all, [key]: entry })),
  remove: key => change('pending', all => without(all, key)),
};

const environment = {
  settings,
  agent: { userAgent: navigator.userAgent, languages: navigator.languages.join(',') },

  async page({ tabId, page }) {
    const tab = tabId >= 0 ? await chrome.tabs.get(tabId).catch(() => undefined) : undefined;
    // A tab that was opened for the download has no page of its own.
    return { page: /^https?:/.test(tab?.url ?? '') ? tab.url : page, isPrivate: Boolean(tab?.incognito) };
  },

  isLeft(request) {
    const isHeld = Date.now() < left.until && (!request || request.tabId < 0 || request.tabId === left.tab);
    if (isHeld) left = { tab: -1, until: 0 };
    return isHeld;
  },

  mayRead: url => chrome.permissions.contains({ origins: [`${new URL(url).origin.replace(/:\d+$/, '')}/*`] }),
  ask: (item, request) => asking.ask(item, request),
  kept: (id, origin) => notices.handed(id, origin),
  lost: error => notices.unfinished(error),

  async item(id) { return (await chrome.downloads.search({ id }))[0]; },

  /** A download of an earlier run, whose number may be another now. */
  async find({ url, startTime }) {
    return (await chrome.downloads.search({ url })).find(each => each.startTime === startTime);
  },

  /** Cancels and erases a download. Resolves with false if the browser has it or goes on with it. */
  async discard(id) {
    await chrome.downloads.cancel(id).catch(() => {});
    const [item] = await chrome.downloads.search({ id }).catch(() => []);
    if (item && item.state !== 'interrupted') return false;
    await chrome.downloads.erase({ id }).catch(() => {});
    return true;
  },

  cookies: (url, { cookieStoreId }) => chrome.cookies.getAll(kind.cookieQuery(url, cookieStoreId))
    .catch(() => chrome.cookies.getAll({ url, ...(cookieStoreId && { storeId: cookieStoreId }) })),
};

const handovers = new Handovers({ browser: environment, host, requests, pending });

// MARK: Requests and downloads of the browser

const filter = { urls: ['http://*/*', 'https://*/*'], types: RequestLog.kinds };
chrome.webRequest.onBeforeRequest.addListener(details => requests.began(details), filter);
chrome.webRequest.onSendHeaders.addListener(details => requests.sent(details), filter, ['requestHeaders', ...kind.requestOptions]);
chrome.webRequest.onHeadersReceived.addListener(
  details => requests.received(details), filter, ['responseHeaders', ...kind.requestOptions]);

chrome.downloads.onCreated.addListener(async item => {
  try {
    const { reason, url } = await handovers.consider(item);
    if (reason) await notices.kept(item, reason, url);
  } catch (error) {
    if (error.isTaken) return await notices.unfinished(error);
    // By now the browser has chosen a name.
    await notices.refused(await environment.item(item.id) ?? item, error);
  }
});

// MARK: Links

/** Hands links over, a few at a time: each waits for its server. */
async function handLinks(urls, page, store) {
  const rest = [...urls];
  const hand = async () => {
    for (let url = rest.shift(); url; url = rest.shift()) {
      try {
        const { id, name } = await handovers.link(url, page, store);
        await notices.handed(id, { name, url });
      } catch (error) {
        await notices.refused({ url }, error);
      }
    }
  };
  await Promise.all([hand(), hand(), hand(), hand()]);
}

const menus = { download: ['link', 'image', 'video', 'audio'], links: ['page', 'selection'] };
chrome.runtime.onInstalled.addListener(() => {
  for (const [id, contexts] of Object.entries(menus)) {
    chrome.contextMenus.create({ id, title: chrome.i18n.getMessage(id), contexts });
  }
});
chrome.contextMenus.onClicked.addListener(async ({ menuItemId, linkUrl, srcUrl, pageUrl, selectionText }, tab) => {
  if (tab?.incognito) return notices.say(chrome.i18n.getMessage('private'));
  if (menuItemId === 'links') return openLinks(tab, Boolean(selectionText));
  return handLinks([linkUrl ?? srcUrl], pageUrl, await kind.storeOf(tab));
});

/** Shows the links of a tab's page, or of its selection, to choose from. */
const openLinks = (tab, isSelection) => (tab.incognito ? notices.say(chrome.i18n.getMessage('private')) : chrome.tabs.create({
  url: `links.html?${new URLSearchParams({ tab: tab.id, page: tab.url ?? '', selection: isSelection ? '1' : '' })}`,
  openerTabId: tab.id,
}));

chrome.commands.onCommand.addListener(async (command, tab) => {
  if (command === 'links' && tab) await openLinks(tab, false);
  if (command === 'toggle') {
    const { isOn } = await settings();
    await chrome.storage.local.set({ isOn: !isOn });
    notices.say(chrome.i18n.getMessage(isOn ? 'isOff' : 'isOn'));
  }
});

// MARK: The extension's pages

const calls = {
  hello: () => host.call('hello'),
  list: () => host.call('list'),
  async act({ action, ids }) {
    await host.call('act', { action, ids });
    if (action === 'retry') await notices.again(ids);
    if (action === 'remove') await notices.forget(ids);
    return {};
  },
  open: ({ ids }) => host.call('open', { ids }),
  show: ({ ids }) => host.call('show', { ids }),
  async page() {
    const { url } = await host.call('page');
    await chrome.tabs.create({ url });
    return {};
  },
  notes: () => notices.all(),
  async seen() { await notices.clear(); return {}; },
  async browser({ id }) { await notices.tryInBrowser(id); return {}; },
  async links({ urls, page, tab }) {
    const from = await chrome.tabs.get(tab).catch(() => undefined);
    // Links of private windows are not handed over.
    if (from?.incognito) throw new Error(chrome.i18n.getMessage('private'));
    handLinks(urls, page, await kind.storeOf(from));
    return {};
  },
  async answer({ item, isTaken }) { asking.answer(item, isTaken); return {}; },
};
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (sender.id !== chrome.runtime.id) return false;
  // Pages of sites have one message: the key was held. All others are for the extension's own pages.
  if (message.call === 'leave') left = { tab: sender.tab?.id ?? -1, until: Date.now() + 5000 };
  const call = sender.url?.startsWith(chrome.runtime.getURL('')) ? calls[message.call] : undefined;
  if (!call) return false;
  call(message).then(result => answer({ result }), error => answer({ error: error.message }));
  return true;
});

// Starts Ferry's program, and ends what an earlier run left open. Without a daemon there is no summary.
host.call('hello').then(() => handovers.recover()).catch(() => {});
