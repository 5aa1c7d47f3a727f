// Formats sizes, times and names for display.

import { language, locale, text } from './text.js';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const minutes = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'short' });

const ordinals = new Intl.PluralRules(language, { type: 'ordinal' });

/** Formats a place: `3rd`. */
export const ordinal = place => text.ordinal(number(place), ordinals.select(place));

export const number = value => whole.format(value);

/** Formats bytes in binary units: `7.6 MiB`. */
export function size(bytes) {
  let value = bytes, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${(unit === 0 || value >= 100 ? whole : short).format(value)} ${units[unit]}`;
}

export const speed = bytes => `${size(bytes)}/s`;

/** Formats seconds in at most two units: `3 min 5 s`. */
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

/** The time of a date of today, else its day. */
export function when(date, now) {
  const then = new Date(date);
  return (then.toDateString() === new Date(now).toDateString() ? minutes : days).format(then);
}

/** The progress of a transfer, 0 to 1, or null if its size is unknown. */
export function part(transfer) {
  if (transfer.state === 'succeeded') return 1;
  const { done, all } = moved(transfer);
  return all ? Math.min(1, done / all) : null;
}

/** The transferred bytes of the file, and its size. For an upload, the bytes sent. */
export function moved(transfer) {
  if (transfer.direction !== 'upload') return { done: transfer.bytes_received, all: transfer.bytes_expected };
  const all = transfer.bytes_to_send;
  return { done: transfer.state === 'succeeded' ? all : transfer.bytes_sent ?? 0, all };
}

/** Formats a percentage, rounded down: never 100 % before the end. */
export const percent = part => `${Math.floor(part * 100)} %`;

/** Seconds left at the current speed, or null if unknown. */
export function left(transfer) {
  const { done, all } = moved(transfer), rate = transfer.bytes_per_second;
  return all && rate > 0 ? (all - done) / rate : null;
}

/** Makes invisible characters of a server's text visible: they could reorder the characters around them. */
export const visible = value =>
  value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, each =>
    each === '\u200c' || each === '\u200d' ? each : `\\u{${each.codePointAt(0).toString(16)}}`);

/** The display name of a transfer: its file name, or the last part of its URL while it has no name. */
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

/** Bytes of a typed amount such as `500k`, `8 MiB` or `1.5G`, or null if it is invalid. */
export function amount(typed) {
  const decimal = language === 'de' ? typed.replace(',', '.') : typed;
  const found = /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?(?:\/s)?\s*$/i.exec(decimal);
  if (!found) return null;
  const power = ' kmgtp'.indexOf(found[2].toLowerCase() || ' ');
  return Math.round(Number(found[1]) * 1024 ** power);
}
