// Elements of the document. Texts are always put in as text: there is no way here to make markup of a string.

/**
 * Makes an element. `text` is its text, `on` has its listeners, and `set` its
 * properties.
 */
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
  node.append(...children.filter(child => child != null && child !== false));
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

/** A field with its label, a hint, and room for what is wrong with it. */
export function field(name, label, control, hint) {
  const id = `field-${name}`;
  control.id = id;
  control.name = name;
  const wrong = make('p', { class: 'wrong', id: `${id}-wrong` });
  control.setAttribute('aria-describedby', hint ? `${id}-hint ${id}-wrong` : `${id}-wrong`);
  control.addEventListener('input', () => complain(control, ''));
  return make('div', { class: 'field' },
    make('label', { for: id, text: label }), control,
    hint && make('p', { class: 'hint', id: `${id}-hint`, text: hint }), wrong);
}

/** Says beside a control what is wrong with it; an empty sentence takes that back. */
export function complain(control, sentence) {
  const wrong = document.getElementById(`${control.id}-wrong`);
  if (wrong) setText(wrong, sentence);
  setAttribute(control, 'aria-invalid', sentence ? 'true' : null);
}

/** A choice of values with their labels. */
export const choice = (entries, value) =>
  make('select', {}, ...entries.map(([key, label]) => make('option', { value: key, text: label, selected: key === value })));
