import FerryTesting
import Foundation
import Testing

/// The extension's decisions, as tables: each row is a name, a result and the expected one.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: Browser.areInstalled, "scripts/test installs browsers"))
struct `The extension's rules` {
    @Test func `decide as their tables say`() async throws {
        try await withExtension { bed in
            for (name, table) in Self.tables {
                let rows = try await bed.run("const rules = await import('./rules.js');\n" + table).items
                #expect(!rows.isEmpty)
                for row in rows { #expect(row[1] == row[2], "\(name): \(row[0].text ?? "")") }
            }
        }
    }

    private static let tables = [
        ("why the browser keeps a download", keeping), ("same file", sameness), ("sites", sites), ("fields", fields),
        ("cookies", cookies), ("settings", settings), ("links", links), ("the badge", badges), ("a restart", restarts),
    ]

    private static let keeping = #"""
        const get = url => ({ url, method: 'GET', type: 'main_frame', fields: [], status: 200 });
        const response = { status: 200, fields: [{ name: 'Content-Length', value: '20000000' }] };
        const item = { url: 'https://a.example/f.iso', finalUrl: 'https://a.example/f.iso', totalBytes: 2e7, state: 'in_progress' };
        const request = { chain: [get(item.url)], tabId: 1, page: 'https://www.a.example/', response };
        const why = ({ item: i, request: r, settings = {}, ...rest } = {}) => rules.reasonToKeep({ ...item, ...i },
          { request: r === null ? undefined : { ...request, ...r }, page: 'https://www.a.example/p', settings: { ...rules.usual, ...settings }, ...rest }) ?? 'ferry';
        const post = { ...get('https://a.example/form'), method: 'POST' };
        return [
          ['large', why(), 'ferry'], ['off', why({ settings: { isOn: false } }), 'off'], ['the key', why({ isLeft: true }), 'key'],
          ['small', why({ item: { totalBytes: 1e6 }, request: { response: { status: 200, fields: [] } } }), 'size'],
          ['small by its response', why({ item: { totalBytes: -1 }, request: { response: { status: 200, fields: [{ name: 'content-length', value: '9' }] } } }), 'size'],
          ['unknown size', why({ item: { totalBytes: -1 }, request: { response: { status: 200, fields: [] } } }), 'size'],
          ['all sizes', why({ item: { totalBytes: -1 }, request: { response: { status: 200, fields: [] } }, settings: { leastBytes: 0 } }), 'ferry'],
          ['private', why({ item: { incognito: true } }), 'private'], ['of a private tab', why({ isPrivate: true }), 'private'],
          ['the type of the response', why({ request: { response: { status: 200, fields: [...response.fields, { name: 'Content-Disposition', value: 'attachment; filename="x.zip"' }] } }, settings: { types: 'zip' } }), 'ferry'], ['whole', why({ item: { state: 'complete' } }), 'done'],
          ['interrupted', why({ item: { state: 'interrupted' } }), 'ferry'],
          ['of an extension', why({ item: { byExtensionId: 'x' } }), 'done'],
          ['blob', why({ item: { url: 'blob:https://a.example/1', finalUrl: 'blob:https://a.example/1' } }), 'scheme'],
          ['data', why({ item: { url: 'data:,x', finalUrl: '' } }), 'scheme'],
          ['a service worker', why({ request: null }), 'made'], ['no response', why({ request: { response: undefined } }), 'made'],
          ['a form', why({ request: { chain: [post] } }), 'form'],
          ['a form that redirects to a file', why({ request: { chain: [post, get(item.url)] } }), 'ferry'],
          ['a known login', why({ request: { chain: [{ ...get(item.url), fields: [{ name: 'authorization', value: 'Basic x' }] }] } }), 'login'],
          ['a login that was asked for', why({ request: { chain: [{ ...get(item.url), status: 401 }] } }), 'login'],
          ['part of a file', why({ request: { response: { status: 206, fields: response.fields } } }), 'status'],
          ['another type', why({ settings: { types: 'zip, tar.gz' } }), 'type'], ['its type', why({ settings: { types: 'zip *.ISO' } }), 'ferry'],
          ['its site', why({ settings: { sites: { 'www.a.example': false } } }), 'site'],
          ['its domain', why({ settings: { sites: { 'a.example': false } } }), 'site'],
          ['without a referrer, the tab\'s page', why({ request: { page: '' }, settings: { sites: { 'www.a.example': false } } }), 'site'],
          ['another site', why({ settings: { sites: { 'b.example': false } } }), 'ferry'],
          ['the named reasons', ['made', 'form', 'login', 'status', 'different', 'access', 'off', 'key', 'size', 'type', 'site', 'done'].filter(rules.isNamed).length, 6],
          ['all have a text', ['made', 'form', 'login', 'status', 'different', 'access'].every(each => chrome.i18n.getMessage(`kept_${each}`)), true],
        ];
        """#

    private static let sameness = #"""
        const known = { length: 9, etag: '"a"', type: 'application/zip' };
        const same = (a = {}, b = {}) => rules.isSame({ ...known, ...a }, { length: 9, etag: '"a"', type: 'application/zip; x=1', ...b });
        return [
          ['the same', same(), true], ['another length', same({}, { length: 22 }), false], ['no length', same({}, { length: undefined }), false],
          ['another ETag', same({}, { etag: '"b"' }), false], ['no ETag', same({}, { etag: undefined }), false],
          ['an ETag that the browser does not know', same({ etag: undefined }), true],
          ['a page', same({}, { type: 'text/html' }), false], ['no type', same({}, { type: undefined }), false],
          ['an unknown length with an ETag', same({ length: -1 }), true], ['a type alone', same({ length: -1, etag: undefined }), false],
          ['a page of unknown length', same({ length: -1, etag: undefined, type: 'text/html' }, { type: 'text/html' }), false],
          ['a coded body has no known length', rules.factsOf({ fields: [{ name: 'Content-Length', value: '9' }, { name: 'Content-Encoding', value: 'gzip' }] }).length, -1],
          ['a length that is no number', rules.factsOf({ fields: [{ name: 'content-length', value: '9x' }] }).length, -1],
        ];
        """#

    private static let sites = #"""
        return [
          ['by default', rules.isSiteOn('a.example', {}), true], ['off', rules.isSiteOn('a.example', { 'a.example': false }), false],
          ['a subdomain', rules.isSiteOn('b.a.example', { 'a.example': false }), false],
          ['a subdomain of its own', rules.isSiteOn('b.a.example', { 'a.example': false, 'b.a.example': true }), true],
          ['a longer name', rules.isSiteOn('xa.example', { 'a.example': false }), true],
          ['names of objects', rules.isSiteOn('constructor', {}), true],
          ['switched off', rules.sitesWith('a.example', false, {}), { 'a.example': false }],
          ['switched on again', rules.sitesWith('a.example', true, { 'a.example': false }), {}],
          ['an exception', rules.sitesWith('b.a.example', true, { 'a.example': false }), { 'a.example': false, 'b.a.example': true }],
        ];
        """#

    private static let fields = #"""
        const agent = { userAgent: 'U', languages: 'de,en' };
        const hidden = { url: 'https://a.example/f', fields: [] };
        const seen = fields => ({ url: 'https://a.example/f', fields });
        const names = list => list.map(each => `${each.name}: ${each.value}`);
        return [
          ['of a hidden request', names(rules.fieldsOf(hidden, 'https://a.example/p?q#f', agent)), ['Referer: https://a.example/p?q', 'User-Agent: U', 'Accept-Language: de,en']],
          ['as sent', names(rules.fieldsOf(seen([{ name: 'referer', value: 'https://a.example/' }, { name: 'User-Agent', value: 'V' }]), 'https://a.example/p', agent)), ['Referer: https://a.example/', 'User-Agent: V', 'Accept-Language: de,en']],
          ['a page without referrer', names(rules.fieldsOf(seen([{ name: 'User-Agent', value: 'V' }]), 'https://a.example/p', agent)), ['User-Agent: V', 'Accept-Language: de,en']],
          ['of another site', rules.referrerFor('https://b.example/f', 'https://a.example/p?q'), 'https://a.example/'],
          ['another port', rules.referrerFor('https://a.example:8443/f', 'https://a.example/p?q'), 'https://a.example/'],
          ['not safe', rules.referrerFor('http://a.example/f', 'https://a.example/p'), ''],
          ['no page', rules.referrerFor('http://a.example/f', 'about:blank'), ''],
        ];
        """#

    private static let cookies = #"""
        const cookie = (name, more = {}) => ({ name, value: '1', domain: 'a.example', hostOnly: true, path: '/', secure: false, ...more });
        const names = (request, found, page = '') => rules.cookiesOf(request, found, page).map(each => each.name).join();
        const top = { url: 'https://a.example/f', type: 'main_frame', fields: [] };
        const inner = { ...top, type: 'sub_frame' };
        const own = { partitionKey: { topLevelSite: 'https://a.example' } };
        const foreign = { partitionKey: { topLevelSite: 'https://b.example' } };
        return [
          ['its host alone', rules.cookiesOf(top, [cookie('k')], '')[0].domain, 'a.example'],
          ['its domain', rules.cookiesOf(top, [cookie('k', { hostOnly: false, domain: '.a.example' })], '')[0].domain, '.a.example'],
          ['secure', rules.cookiesOf(top, [cookie('k', { secure: true })], '')[0].secure, true],
          ['its partition', names(top, [cookie('k', own), cookie('l', foreign), cookie('m')]), 'k,m'],
          ['that of the page', names(inner, [cookie('k', own), cookie('l', foreign)], 'https://www.b.example/p'), 'l'],
          ['of another scheme', names(inner, [cookie('l', foreign)], 'http://b.example/'), ''],
          ['those that were sent', names({ ...top, fields: [{ name: 'Cookie', value: 'k=1; m=2' }] }, [cookie('k'), cookie('l'), cookie('m', { value: '2' })]), 'k,m'],
          ['none were sent', names({ ...top, fields: [{ name: 'Accept', value: '*/*' }] }, [cookie('k')]), ''],
        ];
        """#

    private static let settings = #"""
        return [
          ['MiB', rules.leastBytesOf('1.5', 7), 1572864], ['zero', rules.leastBytesOf('0', 7), 0], ['emptied', rules.leastBytesOf(' ', 7), 7],
          ['negative', rules.leastBytesOf('-1', 7), 7], ['no number', rules.leastBytesOf('x', 7), 7], ['endless', rules.leastBytesOf('Infinity', 7), 7],
          ['seconds', rules.patienceOf('20', 15), 20], ['no time', rules.patienceOf('0', 15), 15], ['too long', rules.patienceOf('999', 15), 15],
          ['all types', rules.hasType('a.bin', ' '), true], ['two parts', rules.hasType('a.tar.gz', '.tar.gz'), true], ['another', rules.hasType('azip', 'zip'), false],
          ['the browser\'s name', rules.nameOf({ filename: '/d/a (1).iso', url: 'https://a.example/x' }), 'a (1).iso'],
          ['the URL\'s name', rules.nameOf({ url: 'https://a.example/d/a%20b?q' }), 'a b'], ['the response\'s name', rules.nameOf({ url: 'https://a.example/get' }, { response: { fields: [{ name: 'content-disposition', value: "attachment; filename=b; filename*=UTF-8''a%20c" }] } }), 'a c'],
          ['a broken name', rules.nameOf({ url: 'https://a.example/%zz' }), '%zz'],
        ];
        """#

    private static let links = #"""
        const all = [{ url: 'https://a.example/a.iso', text: 'Disk one' }, { url: 'https://a.example/b.zip', text: 'Source' }, { url: 'https://a.example/c', text: 'Page' }];
        const found = filter => rules.linksMatching(all, filter).map(each => each.url.at(-1)).join('');
        return [['all', found(''), 'opc'], ['an ending', found('.iso'), 'o'], ['two endings', found('*.iso .ZIP'), 'op'], ['a word', found('source'), 'p'], ['both', found('disk .iso'), 'o'], ['none', found('disk .zip'), '']];
        """#

    private static let badges = #"""
        return [
          ['percent', rules.badge({ running: 2, received: 1, expected: 4 }), '25%'], ['count', rules.badge({ running: 2, received: 1, expected: 0 }), '2'],
          ['rest', rules.badge({ running: 0 }), ''], ['no connection', rules.badge({}), ''], ['failures', rules.badge({ running: 2, received: 1, expected: 4 }, 1), '!'],
          ['news', rules.news([{ id: 'a' }, { id: 'b' }], { b: {} }).length, 1], ['names of objects', rules.news([{ id: 'toString' }], {}).length, 0],
        ];
        """#

    private static let restarts = #"""
        return [
          ['not taken yet', rules.afterRestart({ isTaken: false }, undefined), 'drop'], ['taken and gone', rules.afterRestart({ isTaken: true }, undefined), 'keep'],
          ['taken and canceled', rules.afterRestart({ isTaken: true }, { state: 'interrupted' }), 'keep'],
          ['the browser has it', rules.afterRestart({ isTaken: true }, { state: 'complete' }), 'drop'], ['the browser goes on', rules.afterRestart({ isTaken: true }, { state: 'in_progress' }), 'drop'],
        ];
        """#
}
