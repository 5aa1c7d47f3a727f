// The user's choices about the page, kept by the browser.

const isOn = (name, usual) => (localStorage.getItem(`ferry.${name}`) ?? usual) === 'on';

export const choices = {
  set(name, isOn) { localStorage.setItem(`ferry.${name}`, isOn ? 'on' : 'off'); },
  /** Whether keys that are single letters work. */
  get letters() { return isOn('letters', 'on'); },
  /** Whether rows are low. */
  get compact() { return isOn('compact', 'off'); },
  /** Whether the browser notifies of ends, which it may have forbidden since. */
  get notices() { return isOn('notices', 'off') && globalThis.Notification?.permission === 'granted'; },
};
