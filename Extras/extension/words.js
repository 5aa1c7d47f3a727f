// Texts of the extension's pages.

export const find = selector => document.querySelector(selector);
export const text = (key, ...values) => chrome.i18n.getMessage(key, values.map(String));

/** Fills the elements that name a text, and sets the page's language. */
export function translate() {
  document.documentElement.lang = chrome.i18n.getUILanguage();
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
  for (const node of document.querySelectorAll('[data-label]')) node.ariaLabel = text(node.dataset.label);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function size(bytes) {
  let value = bytes, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

/** Makes an element. */
export const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);

/** Calls the background. Rejects with its error. */
export async function call(name, rest = {}) {
  const { result, error } = await chrome.runtime.sendMessage({ call: name, ...rest });
  if (error) throw new Error(error);
  return result;
}
