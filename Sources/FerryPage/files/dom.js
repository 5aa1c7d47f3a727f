// Elements of the document. Texts are always put in as text: there is no way here to make markup of a string.

import { text } from './text.js';

/** Makes an element: `text` is its text, `on` has its listeners, `set` its properties, and all else are attributes. */
export function make(tag, attributes = {}, ...children) {
  const node = tag.startsWith('svg:')
    ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') node.textContent = value;
    else if (name === 'on') for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (name === 'set') Object.assign(node, value);
    else setAttribute(node, name, value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

/** Sets a text only where it differs, so that nothing is laid out or read out again. */
export function setText(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** Sets an attribute; null takes it away, and so does false, but for those of ARIA, which have it as a word. */
export function setAttribute(node, name, value) {
  const text = name.startsWith('aria-') || typeof value !== 'boolean' ? value : value ? '' : null;
  if (text == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(text)) node.setAttribute(name, text);
}

export const find = selector => document.querySelector(selector);

export const button = (label, call, attributes = {}) =>
  make('button', { type: 'button', text: label, on: { click: call }, ...attributes });

/** Fills a `select` with an object's values by their labels. */
export function fillChoice(node, labels, value) {
  node.replaceChildren(...Object.entries(labels).map(([key, label]) => make('option', { value: key, text: label })));
  node.value = value;
}

/**
 * A field with its label, its hint, and room for what is wrong with it; `text` has the words by its name.
 *
 * With `choices` it is a choice, with `rows` a text of several lines.
 */
export function field(name, value, { label = text.labels[name], hint = text.hints[name], choices, ...attributes } = {}) {
  const id = `field-${name}`;
  const tag = choices ? 'select' : attributes.rows ? 'textarea' : 'input';
  const control = make(tag, {
    id, name, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': hint ? `${id}-hint ${id}-wrong` : `${id}-wrong`, ...attributes,
    on: { input: () => complain(control, '') },
  });
  if (choices) fillChoice(control, choices, value);
  else control.value = value ?? '';
  return make('div', { class: 'field' }, make('label', { for: id, text: label }), control,
    hint && make('p', { class: 'hint', id: `${id}-hint`, text: hint }), make('p', { class: 'wrong', id: `${id}-wrong` }));
}

/** Says beside a control what is wrong with it; an empty sentence takes that back. */
export function complain(control, sentence) {
  setText(find(`#${control.id}-wrong`), sentence);
  setAttribute(control, 'aria-invalid', sentence ? 'true' : null);
}
