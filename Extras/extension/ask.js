// The window that asks whether Ferry takes a download over.

import { call, find, size, text, translate } from './words.js';

const query = new URLSearchParams(location.search);
const bytes = Number(query.get('size'));
translate();
document.title = text('question');
find('#name').textContent = find('#name').title = query.get('name');
find('#facts').textContent = [bytes > 0 && size(bytes), query.get('host')].filter(Boolean).join(' · ');
const answer = async isTaken => {
  await call('answer', { item: Number(query.get('item')), isTaken });
  // The background closes the window, unless it has been started anew and knows no question.
  close();
};
find('#yes').onclick = () => answer(true);
find('#no').onclick = () => answer(false);
addEventListener('keydown', event => { if (event.key === 'Escape') answer(false); });
