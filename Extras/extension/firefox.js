// Differences of Firefox and its relatives.

export const firefox = {
  requestOptions: [],
  /** A notification has no buttons: a click on it is the only action. */
  notificationsHaveButtons: false,

  /** The query for all cookies of a URL, whatever their partition, and with isolation by first party too. */
  cookieQuery: (url, store) => ({ url, partitionKey: {}, firstPartyDomain: null, ...(store && { storeId: store }) }),

  /** The cookie store of a tab: its container. */
  storeOf: async tab => tab?.cookieStoreId,
};

/** Whether this is Firefox. */
export const isFirefox = typeof browser !== 'undefined' && typeof browser.runtime?.getBrowserInfo === 'function';
