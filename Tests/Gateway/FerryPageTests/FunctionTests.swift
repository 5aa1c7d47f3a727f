import Foundation
import Testing

/// The functions of the page's modules, tested in the page's browser.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page's functions` {
    /// Runs a script that returns `[name, actual, expected]` for each case, and compares them.
    private func check(_ script: String) async throws {
        try await withPage { bed in
            try await bed.open()
            let cases = try await bed.browser.run(script).items
            #expect(!cases.isEmpty)
            for each in cases { #expect(each[1] == each[2], "\(each[0].text ?? "")") }
        }
    }

    @Test func `read curl commands as browsers copy them`() async throws {
        try await check(
            #"""
            const { words: read } = await import('/curl.js');
            const { parse: parseCurl } = await import('/links.js');
            const words = text => read(text).words;
            const one = command => parseCurl(command).requests[0];
            const chrome = `curl 'https://files.example/a.iso?x=1&y=2' \
              -H 'accept: */*' \
              -H 'accept-language: de' \
              -b 'session=abc; theme=dark' \
              -H 'range: bytes=0-' \
              -H 'referer: https://files.example/list' \
              --compressed`;
            const firefox = `curl 'https://a.example/it'\\''s' --compressed -H 'User-Agent: Mozilla/5.0' -H 'Cookie: a="b c"'`;
            const windows = 'curl ^"https://a.example/f?a=1^&b=2^" ^\r\n  -H ^"x-note: say \\^"hi\\^"^" ^\r\n  -b ^"k=v^"';
            return [
              ['words', words(`a 'b c' "d \\"e" f\\ g $'h\\n\\u00e4\\x41'`), ['a', 'b c', 'd "e', 'f g', 'h\näA']],
              ['Chrome', one(chrome), { url: 'https://files.example/a.iso?x=1&y=2', headers: [
                { name: 'accept', value: '*/*' }, { name: 'accept-language', value: 'de' }, { name: 'Cookie', value: 'session=abc; theme=dark' },
                { name: 'referer', value: 'https://files.example/list' }] }],
              ['Firefox', one(firefox), { url: "https://a.example/it's", headers: [
                { name: 'User-Agent', value: 'Mozilla/5.0' }, { name: 'Cookie', value: 'a="b c"' }] }],
              ['Windows', one(windows), { url: 'https://a.example/f?a=1&b=2', headers: [
                { name: 'x-note', value: 'say "hi"' }, { name: 'Cookie', value: 'k=v' }] }],
              ['user', one('curl -u me:p@ss http://a.example/f').url, 'http://me:p%40ss@a.example/f'],
              ['output and proxy', one('curl -sLo dir/x.bin -x proxy:3128 -k https://a.example/f'), {
                url: 'https://a.example/f', name: 'x.bin', insecure: true,
                proxy_environment: { http_proxy: 'http://proxy:3128', https_proxy: 'http://proxy:3128' } }],
              ['body', one(`curl https://a.example/f --data-raw '{"a":1}' -H 'Content-Type: application/json'`), {
                url: 'https://a.example/f', method: 'POST', headers: [{ name: 'Content-Type', value: 'application/json' }],
                body: { bytes: { _0: btoa('{"a":1}') } } }],
              ['no scheme', one('curl a.example/f').url, 'http://a.example/f'],
              ['two sites', parseCurl("curl https://a.example/1 -H 'Cookie: a=1' ;\ncurl https://b.example/2 -H 'Cookie: b=2' && curl https://c.example/3\nhttps://d.example/4").requests,
                [{ url: 'https://a.example/1', headers: [{ name: 'Cookie', value: 'a=1' }] }, { url: 'https://b.example/2', headers: [{ name: 'Cookie', value: 'b=2' }] },
                  { url: 'https://c.example/3' }, { url: 'https://d.example/4' }]],
              ['an ampersand in a URL', one('curl https://a.example/f?x=1&y=2').url, 'https://a.example/f?x=1&y=2'],
              ['a query', one('curl -G -d a=b https://a.example/f').url, 'https://a.example/f?a=b'],
              ['two', parseCurl('curl https://a.example/1 https://a.example/2').requests.length, 2],
              ['a file of cookies', parseCurl('curl -b jar.txt https://a.example/1').problems.length, 1],
              ['no URL', parseCurl('curl -s').problems.length, 1],
              ['unknown', parseCurl('curl --frobnicate https://a.example/1').problems[0].includes('--frobnicate'), true],
            ];
            """#)
    }

    @Test func `read lists of links and Metalink documents`() async throws {
        try await check(
            #"""
            const { parse, refusal } = await import('/links.js');
            const urls = text => parse(text).requests.map(each => each.url);
            const four = `<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a/b.iso"><size>14471447</size>
              <hash type="sha-256">F0AD</hash><pieces length="4" type="sha-256"><hash>aa</hash></pieces>
              <url priority="2">https://two.example/b.iso</url><url priority="1">https://one.example/b.iso</url><url>ftp://x/b.iso</url></file></metalink>`;
            const three = `<metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="b.iso"><verification><hash type="md5">0a</hash>
              </verification><resources><url type="http" preference="10">http://low.example/b</url><url type="http" preference="90">http://high.example/b</url>
              </resources></file></files></metalink>`;
            const bomb = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><metalink><file name="x"><url>https://x.example/&b;</url></file></metalink>';
            return [
              ['lines', urls('https://a.example/1\n# note\n\nHTTP://B.example/2'), ['https://a.example/1', 'HTTP://B.example/2']],
              ['text around', urls('see <https://a.example/1> and https://a.example/2.'), ['https://a.example/1', 'https://a.example/2']],
              ['in brackets', urls('(http://x.example/y) [http://x.example/z], "http://x.example/q"!'),
                ['http://x.example/y', 'http://x.example/z', 'http://x.example/q']],
              ['brackets of the URL itself', urls('http://x.example/a_(b) (http://x.example/c_(d))'), ['http://x.example/a_(b)', 'http://x.example/c_(d)']],
              ['a million brackets', urls('http://x.example/' + ')'.repeat(1e6)), ['http://x.example/']],
              ['a million marks', urls('http://x.example/' + '?#'.repeat(5e5)).length, 1],
              ['blanks, commas and tabs between', ['http://x.example/1 http://x.example/2', 'http://x.example/1, http://x.example/2', 'http://x.example/1\thttp://x.example/2',
                'http://x.example/1,http://x.example/2', 'http://x.example/1;http://x.example/2'].map(each => urls(each).length), [2, 2, 2, 2, 2]],
              ['a URL within a query', urls('http://x.example/get?of=http://y.example/a,http://y.example/b'), ['http://x.example/get?of=http://y.example/a,http://y.example/b']],
              ['prose', urls('https://host.example/page is documented in README.md').concat(urls('https://a.example/x.zip - 4.5MB')), ['https://host.example/page', 'https://a.example/x.zip']],
              ['Windows', urls('http://x.example/1\r\nhttp://x.example/2'), ['http://x.example/1', 'http://x.example/2']],
              ['a magnet link', parse('magnet:?xt=urn:btih:aa').problems[0].includes('torrent'), true],
              ['a torrent', [parse('d8:announce35:http://tracker.example/announce4:infod4:name1:aee').requests.length, refusal('a.torrent', 'd8:announce3:x')], [0,
                'a.torrent is a torrent. Ferry fetches files over HTTP only.']],
              ['a binary file', refusal('a.zip', 'PK\u0000'), 'a.zip is not a text with links.'],
              ['without a scheme', urls('a.example/dir/file.zip'), ['https://a.example/dir/file.zip']],
              ['twice', urls('https://a.example/1 https://a.example/1').length, 1],
              ['nothing', parse('hello').problems.length, 1],
              ['a script', urls('javascript:alert(1)'), []],
              ['version 4', parse(four).requests, [{ url: 'https://one.example/b.iso', mirrors: ['https://two.example/b.iso'], name: 'b.iso',
                expected_size: 14471447, checksums: ['sha256:f0ad'] }]],
              ['version 3', parse(three).requests, [{ url: 'http://high.example/b', mirrors: ['http://low.example/b'], name: 'b.iso', checksums: ['md5:0a'] }]],
              ['broken', parse('<?xml version="1.0"?><metalink><file>').problems.length, 1],
              ['a name that leads out', parse(four.replace('a/b.iso', '../..')).requests[0].name ?? null, null],
              ['entities', parse('<?xml version="1.0"?>' + bomb).requests.length <= 1, true],
            ];
            """#)
    }

    @Test func `say states, sizes and remedies, and order the line`() async throws {
        try await check(
            #"""
            const { describe, remedies, extent } = await import('/words.js');
            const { command } = await import('/command.js');
            const { amount, duration, size, visible, title } = await import('/format.js');
            const { choose, dropPlace, isInLine } = await import('/query.js');
            const now = Date.parse('2026-01-01T00:00:00Z');
            const busy = { state: 'waiting', reason: 'retry', attempts: 3, next_attempt_at: '2026-01-01T00:00:12.000Z',
              error: { code: 'timed_out', message: 'example.org did not answer.' } };
            const full = { state: 'waiting', reason: 'disk', error: { code: 'disk_full', message: '7.6 MiB more are needed.' } };
            const failed = code => ({ state: 'failed', error: { code, message: 'x' } });
            const list = [
              { id: '1', state: 'suspended', session: 'cli', url: 'http://x/b', created_at: '1' },
              { id: '2', state: 'succeeded', session: 'cli', url: 'http://x/a', created_at: '2', finished_at: '9', tags: ['t'] },
              { id: '3', state: 'running', session: 'web', url: 'http://x/c', created_at: '3', bytes_per_second: 9 },
              { id: '4', state: 'waiting', reason: 'slot', session: 'cli', url: 'http://x/d', created_at: '4' },
            ];
            const query = { filter: 'all', session: '', tag: '', search: '', order: 'turn', isReversed: false };
            const places = new Map([['4', 0], ['1', 1]]);
            const ids = change => choose(list, places, { ...query, ...change }).ids;
            return [
              ['retry', describe(busy, now), 'Next attempt in 12 s: example.org did not answer (attempt 3)'],
              ['disk', describe(full, now), 'Waits for disk space: 7.6 MiB more are needed'],
              ['expired', remedies({ state: 'waiting', reason: 'expired' }), ['newURL']],
              ['a file is there', remedies(failed('destination_exists')), ['keepBoth', 'replace']],
              ['the disk is full', remedies(failed('disk_full')), ['otherFolder', 'again']],
              ['gone', remedies(failed('not_found')), ['newURL', 'again']],
              ['signing in', remedies({ state: 'waiting', reason: 'authentication' }), ['signIn']],
              ['held', describe({ state: 'waiting', reason: 'server', next_attempt_at: '2026-01-01T00:00:34.000Z' }, now),
                'Its server asks for a pause: next attempt in 34 s'],
              ['queued', [1, 2, 3, 4, 11, 22].map(rank => describe({ state: 'waiting', reason: 'slot' }, now, rank)),
                ['Queued (1st)', 'Queued (2nd)', 'Queued (3rd)', 'Queued (4th)', 'Queued (11th)', 'Queued (22nd)']],
              ['a failure', describe({ state: 'failed', error: { code: 'not_found', message: 'It is gone.' } }, now), 'It is gone.'],
              ['a login', remedies({ ...failed('auth_required'), method: 'GET' }), ['signIn', 'again', 'newURL']],
              ['command', command({ url: "http://x/it's?a=1&b", folder: '/tmp/my files', given_name: 'x' }, null),
                `ferry get 'http://x/it'\\''s?a=1&b' -d '/tmp/my files' -o x --on-conflict unique`],
              ['a proxy', command({ url: 'https://x/a', folder: '/d' }, { proxy_environment: { all_proxy: 'http://p:1', http_proxy: 'http://q:2' } }), 'ferry get https://x/a -d /d --proxy http://p:1'],
              ['command with all', command({ url: 'http://x/a', folder: '/d' }, { method: 'POST', headers: [{ name: 'x-note', value: 'a b' }], mirrors: ['http://y/a'],
                  checksums: ['md5:aa'], tags: ['t'], connections: 4, insecure: true, on_conflict: 'replace', withheld: [] }),
                `ferry get http://x/a -d /d --on-conflict replace -H 'x-note: a b' -X POST --connections 4 --checksum md5:aa --mirror http://y/a --tag t -k`],
              ['extent', extent({ state: 'running', bytes_received: 1024, bytes_expected: 1048576 }), '1.0 KiB of 1.0 MiB'],
              ['amounts', ['500k', '8M', '1.5 GiB', '10', 'x', '1 2'].map(amount), [512000, 8388608, 1610612736, 10, null, null]],
              ['durations', [0, 59.2, 185, 7200, 90000].map(duration), ['0 s', '1 min', '3 min 5 s', '2 h', '1 d 1 h']],
              ['sizes', [0, 1023, 1024, 120 * 2 ** 20].map(size), ['0 B', '1,023 B', '1.0 KiB', '120 MiB']],
              ['invisible', visible('a\u202eb\u0007\u200dc'), 'a\\u{202e}b\\u{7}\u200dc'],
              ['title', title({ url: 'http://x/dir/a%20b.zip?q#f' }), 'a b.zip'],
              ['turn', ids({}), ['3', '4', '1', '2']],
              ['filter', ids({ filter: 'open' }), ['3', '4', '1']],
              ['search', ids({ search: 'X/D cli' }), []],
              ['words', ids({ search: 'x d' }), ['4']],
              ['session', ids({ session: 'web' }), ['3']],
              ['tag', ids({ tag: 't' }), ['2']],
              ['by name, reversed', ids({ order: 'name', isReversed: true }), ['4', '3', '1', '2']],
              ['down', dropPlace(['a', 'b', 'c', 'd'], 'a', 'c', 'd'), 2],
              ['up', dropPlace(['a', 'b', 'c', 'd'], 'd', null, 'a'), 0],
              ['behind the line', dropPlace(['a', 'b'], 'a', 'b', 'ended'), 1],
              ['held by another', isInLine({ state: 'waiting', reason: 'server' }), true], ['held by its own try', isInLine({ ...busy, reason: 'server' }), false],
              ['elsewhere', dropPlace(['a', 'b'], 'a', 'x', 'y'), null],
            ];
            """#)
    }

    @Test func `count waiting transfers, and the transfers on which a button acts`() async throws {
        try await check(
            #"""
            const { bulk, ranks } = await import('/query.js');
            const { text } = await import('/text.js');
            await import('/more.js');
            const list = [['1', 'waiting', 'slot'], ['2', 'waiting', 'retry'], ['3', 'waiting', 'host'], ['4', 'failed'], ['5', 'suspended'], ['6', 'running']]
              .map(([id, state, reason]) => ({ id, state, reason, session: 'cli', error: reason === 'retry' ? {} : null }));
            const get = id => list.find(each => each.id === id);
            return [
              ['ranks', [...ranks(list, new Map([['3', 0], ['1', 1]]))], [['3', 1], ['1', 2]]],
              ['bulk', bulk(['1', '4', '6'], get), { retryFailed: ['4'], clearFinished: [], pauseAll: ['1', '6'], startAll: [] }],
              ['labels', [text.bulk.pauseAll('4', false), text.bulk.pauseAll('4', true), text.bulk.startAll('1', false), text.bulk.clearFinished('2', false)],
                ['Pause all 4', 'Pause 4 shown', 'Resume 1', 'Clear 2 finished']],
              ['plurals', [1, 2].flatMap(count => [text.withHeaders(count), text.withMirrors(count), text.connections(count), text.count(count)]),
                ['1 header', '1 mirror', '1 connection', '1 transfer', '2 headers', '2 mirrors', '2 connections', '2 transfers']],
            ];
            """#)
    }

    @Test func `take the time from the daemon, and the query from the address`() async throws {
        try await check(
            #"""
            const { learn, now } = await import('/clock.js');
            const { parse, print, usual } = await import('/address.js');
            const { filters, orders } = await import('/query.js');
            const near = (time, ahead) => Math.abs(time - Date.now() - ahead) < 60_000;
            const hour = 3_600_000, sent = Date.now();
            const date = ahead => new Date(sent + ahead).toUTCString();
            const first = now();
            learn(date(hour), sent, sent + 10);
            const late = now();
            learn(date(-hour), sent, sent + 9_000);
            const slow = now();
            learn('nonsense', sent, sent);
            learn(date(0), sent, sent + 10);
            const shown = { ...usual, filter: 'failed', search: 'a b&c', order: 'size', isReversed: true, id: '0123456789abcdef' };
            return [
              ['the browser’s', near(first, 0), true], ['an hour ahead', near(late, hour), true], ['a slow response', near(slow, hour), true],
              ['the same', near(now(), 0), true],
              ['nothing', print(usual), ''], ['all', parse(print(shown), filters, orders), shown],
              ['unknown', parse('#filter=x&order=constructor&id=zz&tag=t&y=1', filters, orders), { ...usual, tag: 't' }],
            ];
            """#)
    }

    @Test func `have the same texts in every language`() async throws {
        try await check(
            #"""
            const read = async name => ({ ...(await import(`/texts/${name}.js`)).default, ...(await import(`/texts/${name}-more.js`)).default });
            const en = await read('en'), de = await read('de');
            const shape = (value, path) => typeof value === 'object'
              ? Object.entries(value).flatMap(([key, each]) => shape(each, `${path}/${key}`)) : [`${path} ${typeof value}`];
            const { errors, ...rest } = de;
            return [['texts', shape(rest, '').sort(), shape(en, '').sort()]];
            """#)
    }
}
