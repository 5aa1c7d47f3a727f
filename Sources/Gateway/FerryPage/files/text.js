// The page's texts in the user's language.

const languages = ['en', 'de'];
const key = 'ferry.language';

function wanted() {
  const kept = localStorage.getItem(key);
  if (languages.includes(kept)) return kept;
  return navigator.languages.map(each => each.slice(0, 2).toLowerCase()).find(each => languages.includes(each)) ?? 'en';
}

export const language = wanted();
/** The locale for numbers and dates: the user's own variant of the language. */
export const locale = navigator.languages.find(each => each.toLowerCase().startsWith(language)) ?? language;
export const text = (await import(`./texts/${language}.js`)).default;

export function choose(language) {
  localStorage.setItem(key, language);
  location.reload();
}

/** Fills in the texts of the static document. */
export function fill(root) {
  document.documentElement.lang = language;
  for (const node of root.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
  for (const node of root.querySelectorAll('[data-label]')) node.setAttribute('aria-label', text[node.dataset.label]);
}
