// Says what to do when the page's scripts do not load. A classic script, which browsers request without an origin.

const words = navigator.language.toLowerCase().startsWith('de')
  ? {
    blocked: ['Ferry lässt diese Adresse nicht zu', 'Auf der Maschine, auf der Ferry läuft, diesen Befehl eingeben und die Seite neu laden:'],
    away: ['Ferry antwortet nicht', 'Bitte die Seite neu laden, wenn es wieder da ist.'],
  }
  : {
    blocked: ['Ferry does not allow this address', 'On the machine that runs Ferry, type this command, then load this page again:'],
    away: ['Ferry is not responding', 'Load this page again when it is back.'],
  };

/** Replaces the page by a heading, a sentence and a command. */
function say([heading, sentence], command = '') {
  const main = document.createElement('main');
  for (const [tag, text] of [['h1', heading], ['p', sentence], ['pre', command]]) {
    const node = document.createElement(tag);
    node.textContent = text;
    main.append(node);
  }
  main.id = 'blocked';
  main.setAttribute('role', 'alert');
  document.body.replaceChildren(main);
}

addEventListener('error', async ({ target }) => {
  if (target.tagName !== 'SCRIPT') return;
  const { origin, hostname, port } = location;
  // Browsers send the origin with this method, as with a module: the gateway refuses it with 403.
  const answer = await fetch(target.src, { method: 'POST' }).catch(() => null);
  if (answer?.status === 403) say(words.blocked, `ferry gateway allow ${port ? origin : `--host ${hostname}`}`);
  else say(words.away);
}, true);
