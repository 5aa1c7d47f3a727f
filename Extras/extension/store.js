// Stored objects that are changed step by step.

let changes = Promise.resolve();

/** A stored object. */
export async function stored(name) {
  await changes;
  return (await chrome.storage.local.get(name))[name] ?? {};
}

/** Changes a stored object. Changes happen one after the other, so that none undoes another. Keeps the latest entries. */
export function change(name, edit, most = 500) {
  const changed = changes.then(async () => {
    const found = (await chrome.storage.local.get(name))[name] ?? {};
    await chrome.storage.local.set({ [name]: Object.fromEntries(Object.entries(edit(found)).slice(-most)) });
  });
  changes = changed.catch(() => {});
  return changed;
}

/** An object without some of its entries. */
export const without = (all, ...keys) => Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key)));
