// Says what to do when the gateway refuses the page's scripts. A classic script, which browsers request without an origin.

addEventListener('error', ({ target }) => {
  if (target.tagName !== 'SCRIPT') return;
  const { origin, hostname, port } = location;
  const command = `ferry gateway allow ${port ? origin : `--host ${hostname}`}`;
  const german = navigator.language.toLowerCase().startsWith('de');
  const [heading, words] = german
    ? ['Ferry lässt diese Adresse nicht zu', 'Auf der Maschine, auf der Ferry läuft, diesen Befehl eingeben und die Seite neu laden:']
    : ['Ferry does not allow this address', 'On the machine that runs Ferry, type this command, then load this page again:'];
  const main = document.createElement('main');
  for (const [tag, text] of [['h1', heading], ['p', words], ['pre', command]]) {
    const node = document.createElement(tag);
    node.textContent = text;
    main.append(node);
  }
  main.id = 'blocked';
  main.setAttribute('role', 'alert');
  const show = () => document.body.replaceChildren(main);
  if (document.body) show();
  else addEventListener('DOMContentLoaded', show);
}, true);
