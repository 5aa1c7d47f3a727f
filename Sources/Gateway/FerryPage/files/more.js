// The texts of the dialogs and the detail, which are loaded after the list.

import { language, text } from './text.js';

Object.assign(text, (await import(`./texts/${language}-more.js`)).default);
