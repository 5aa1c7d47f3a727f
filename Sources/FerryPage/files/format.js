// Sizes, times and names as people read them.

import { language, locale, text } from './text.js';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

export const number = value => whole.format(value);

/** Bytes in binary units: `7.6 MiB`. */
export function size(bytes) {
  let value = bytes, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${(unit === 0 || value >= 100 ? whole : short).format(value)} ${units[unit]}`;
}

export const speed = bytes => `${size(bytes)}/s`;

/** Seconds in at most two units: `3 min 5 s`. */
export function duration(seconds) {
  const all = Math.max(0, Math.ceil(seconds));
  if (all < 60) return `${all} s`;
  const parts = all < 3600 ? [[60, 'min'], [1, 's']] : all < 86400 ? [[3600, 'h'], [60, 'min']] : [[86400, text.day], [3600, 'h']];
  const [[first, one], [second, two]] = parts;
  const rest = Math.floor((all % first) / second);
  return `${Math.floor(all / first)} ${one}` + (rest ? ` ${rest} ${two}` : '');
}

export const moment = date => moments.format(new Date(date));
export const time = date => clock.format(new Date(date));

/** How much of a transfer is done, 0 to 1; null where its size is not known. */
export function part(transfer) {
  if (transfer.state === 'succeeded') return 1;
  const { done, all } = moved(transfer);
  return all ? Math.min(1, done / all) : null;
}

/** The bytes of the file that have come or gone, and all of them; an upload's file goes to its server. */
export function moved(transfer) {
  if (transfer.direction !== 'upload') return { done: transfer.bytes_received, all: transfer.bytes_expected };
  const all = transfer.bytes_to_send;
  return { done: transfer.state === 'succeeded' ? all : transfer.bytes_sent ?? 0, all };
}

/** Never 100 % before the end. */
export const percent = part => `${Math.floor(part * 100)} %`;

/** Seconds that are left at the speed of the moment; null where that cannot be said. */
export function left(transfer) {
  const { done, all } = moved(transfer), rate = transfer.bytes_per_second;
  return all && rate > 0 ? (all - done) / rate : null;
}

/** A text of a server's with its invisible characters made visible: they could turn the order of the others around. */
export const visible = value =>
  value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, each =>
    each === '\u200c' || each === '\u200d' ? each : `\\u{${each.codePointAt(0).toString(16)}}`);

/** What a transfer is called: the name of its file, or the last part of its URL as long as it has none. */
export function title(transfer) {
  const name = (transfer.file ?? transfer.destination)?.split('/').pop() ?? transfer.name ?? transfer.given_name;
  if (name) return visible(name);
  const last = transfer.url.split(/[?#]/)[0].split('/').filter(Boolean).pop() ?? transfer.url;
  try {
    return visible(decodeURIComponent(last));
  } catch {
    return visible(last);
  }
}

/** Bytes of a typed amount such as `500k`, `8 MiB` or `1.5G`; null where it is none. */
export function amount(typed) {
  const decimal = language === 'de' ? typed.replace(',', '.') : typed;
  const found = /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?(?:\/s)?\s*$/i.exec(decimal);
  if (!found) return null;
  const power = ' kmgtp'.indexOf(found[2].toLowerCase() || ' ');
  return Math.round(Number(found[1]) * 1024 ** power);
}
