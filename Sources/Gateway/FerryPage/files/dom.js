// Helpers for DOM elements. They set text as text only: no markup is made from strings.

import { text } from './text.js';

/** A text to read: bytes of paths that are no UTF-8 as \xFC (docs/behaviour/transfers.md#F14). */
const shown = value => typeof value === 'string'
  ? value.replace(/[\u{10FE80}-\u{10FEFF}]/gu, byte => `\\x${(byte.codePointAt(0) - 0x10FE00).toString(16).toUpperCase()}`)
  : value;

/** Makes an element. `text` is its text, `on` its listeners, `set` its properties. All other keys are attributes. */
export function make(tag, attributes = {}, ...children) {
  const node = tag.startsWith('svg:')
    ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') node.textContent = shown(value);
    else if (name === 'on') for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (name === 'set') Object.assign(node, value);
    else setAttribute(node, name, value);
  }
  node.append(...children.filter(Boolean).map(shown));
  return node;
}

/** Sets a text only if it differs, to avoid layout and repeated announcements. */
export function setText(node, value) {
  const next = shown(value);
  if (node.textContent !== next) node.textContent = next;
}

/** Sets an attribute. Null removes it, and so does false, except for ARIA attributes, where false is a value. */
export function setAttribute(node, name, value) {
  const text = name.startsWith('aria-') || typeof value !== 'boolean' ? value : value ? '' : null;
  if (text == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(text)) node.setAttribute(name, text);
}

export const find = selector => document.querySelector(selector);

export const button = (label, call, attributes = {}) =>
  make('button', { type: 'button', text: label, on: { click: call }, ...attributes });

/** Fills a `select` with an object's keys as values and its values as labels, or with pairs of both. */
export function fillChoice(node, labels, value) {
  const pairs = Array.isArray(labels) ? labels : Object.entries(labels);
  node.replaceChildren(...pairs.map(([key, label]) => make('option', { value: key, text: label })));
  node.value = value;
}

/**
 * A form field with its label, hint and error message. The words come from `text`, by the field's name.
 *
 * With `choices` it is a `select`, with `rows` a `textarea`.
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

/** Shows an error message beside a control. An empty message removes it. */
export function complain(control, sentence) {
  setText(find(`#${control.id}-wrong`), sentence);
  setAttribute(control, 'aria-invalid', sentence ? 'true' : null);
}
