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
            const { parse } = await import('/links.js');
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
              ['text around', urls('see <https://a.example/1> and https://a.example/2.'), ['https://a.example/1', 'https://a.example/2.']],
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
            const { describe, remedies, command, extent } = await import('/words.js');
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
              ['command', command({ url: "http://x/it's?a=1&b", folder: '/tmp/my files', given_name: 'x' }),
                `ferry get 'http://x/it'\\''s?a=1&b' -d '/tmp/my files' -o x`],
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

    @Test func `have the same texts in every language`() async throws {
        try await check(
            #"""
            const en = (await import('/texts/en.js')).default, de = (await import('/texts/de.js')).default;
            const shape = (value, path) => typeof value === 'object'
              ? Object.entries(value).flatMap(([key, each]) => shape(each, `${path}/${key}`)) : [`${path} ${typeof value}`];
            const { errors, ...rest } = de;
            return [['texts', shape(rest, '').sort(), shape(en, '').sort()]];
            """#)
    }
}
