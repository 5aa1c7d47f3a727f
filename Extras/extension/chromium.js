// Differences of Chromium and its relatives.

export const chromium = {
  /** Options of webRequest, without which Chromium hides the fields Cookie and Referer. */
  requestOptions: ['extraHeaders'],
  notificationsHaveButtons: true,

  /** The query for all cookies of a URL, whatever their partition. */
  cookieQuery: (url, store) => ({ url, partitionKey: {}, ...(store && { storeId: store }) }),

  /** The cookie store of a tab. */
  async storeOf(tab) {
    const stores = await chrome.cookies.getAllCookieStores();
    return stores.find(each => each.tabIds.includes(tab?.id))?.id;
  },
};
