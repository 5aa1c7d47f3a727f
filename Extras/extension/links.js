// All links of a page or of its selection, to choose from.

import { linksMatching, nameOf } from './rules.js';
import { call, find, make, text, translate } from './words.js';

const query = new URLSearchParams(location.search);
const tab = Number(query.get('tab'));
let links = [];
/** URLs that are not chosen. */
const left = new Set();

/** Runs in the page. Returns its links, or those that its selection touches. */
function collect(isSelection) {
  const selection = getSelection();
  const isChosen = node => !isSelection || [...Array(selection.rangeCount).keys()].some(each => selection.getRangeAt(each).intersectsNode(node));
  return [...document.links].filter(isChosen).map(({ href, textContent }) => ({ url: href.split('#')[0], text: textContent.trim() }));
}

function show() {
  find('#choices').replaceChildren(...linksMatching(links, find('#filter').value).map(({ url, text: words }) => {
    const name = words || nameOf({ url }) || url;
    const [line, box] = [make('li'), make('input', { type: 'checkbox', checked: !left.has(url), ariaLabel: `${name}, ${url}` })];
    box.onchange = () => {
      if (box.checked) left.delete(url); else left.add(url);
      summarize();
    };
    line.append(box, make('bdi', { textContent: name }), make('small', { textContent: url }));
    return line;
  }));
  summarize();
}

/** Updates all but the list, whose boxes keep their focus. */
function summarize() {
  const boxes = [...document.querySelectorAll('#choices input')];
  const chosen = boxes.filter(each => each.checked).length;
  find('#count').textContent = text('chosen', chosen, boxes.length);
  find('#all').checked = boxes.length > 0 && chosen === boxes.length;
  find('#all').indeterminate = chosen > 0 && chosen < boxes.length;
  find('#take').disabled = chosen === 0;
}

async function load() {
  const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab }, func: collect, args: [query.get('selection') === '1'] });
  const unique = new Map(result.filter(({ url }) => /^https?:/.test(url)).map(each => [each.url, each]));
  links = [...unique.values()];
  show();
}

translate();
document.title = text('links');
find('#filter').oninput = show;
find('#all').onchange = event => {
  for (const { url } of linksMatching(links, find('#filter').value)) {
    if (event.target.checked) left.delete(url); else left.add(url);
  }
  show();
};
find('#take').onclick = async () => {
  const urls = linksMatching(links, find('#filter').value).map(each => each.url).filter(url => !left.has(url));
  await call('links', { urls, page: query.get('page'), tab });
  await chrome.tabs.remove((await chrome.tabs.getCurrent()).id);
};
load().catch(error => { find('#wrong').textContent = error.message; });
