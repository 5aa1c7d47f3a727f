// The fragment of the page’s address: query and detail. Pure functions.

/** The usual query and detail, which an address leaves out. */
export const usual = { filter: 'all', session: '', tag: '', search: '', order: 'turn', isReversed: false, id: '' };

/** Reads a fragment. Unknown keys, filters and orders are ignored. */
export function parse(fragment, filters, orders) {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const shown = { ...usual };
  for (const key of Object.keys(usual)) if (given.has(key)) shown[key] = given.get(key);
  shown.isReversed = given.has('isReversed');
  if (!Object.hasOwn(filters, shown.filter)) shown.filter = usual.filter;
  if (!Object.hasOwn(orders, shown.order)) shown.order = usual.order;
  if (!/^[\da-f]{16}$/.test(shown.id)) shown.id = '';
  return shown;
}

/** Writes the fragment. It is empty for the usual list. */
export function print(shown) {
  const given = Object.keys(usual).filter(key => shown[key] !== usual[key]).map(key => [key, shown[key] === true ? '' : shown[key]]);
  const fragment = new URLSearchParams(given).toString().replace(/=(?=&|$)/g, '');
  return fragment && `#${fragment}`;
}
