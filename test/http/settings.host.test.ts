import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { publishReviewDecisions } from '../../contract/review.ts';
import { foundEngines, hostRestart, type SettingsChangeRequest, settingsChanged } from '../../contract/settings.ts';
import { eventually } from '../patience.ts';
import { ingestRequest, ingests, octets, openIngest } from './host/ingest-steps.ts';
import { cors, headers, openedSettings, type RefusedChanges } from './host/settings-steps.ts';
import { sampleRow, studyRequest } from './host/study-steps.ts';

// The settings of a running host, as the page of its operator reads and changes them.

const captioning = { 'caption-executor': 'grouped-subtitles', 'allow-embedded-subtitle-captions': true };

test('settings show their values and the origin of each', async (t) => {
  const { read, setting } = await openedSettings(t, { flags: ['--maximum-live-studies', '7'] });
  const { file, restart } = await read();
  t.is(file.state, 'absent');
  t.deepEqual([restart.isNeeded, restart.isPossible], [false, true]);
  t.like(await setting('maximum-live-studies'), { value: 7, source: 'option', next: 7, change: 'at_once' });
  t.like(await setting('caption-executor'), { value: null, source: 'default', preset: 'recorded', room: 'captions' });
  t.like(await setting('token-file'), { change: 'command_line', room: 'network' });
  t.deepEqual((await setting('log-format'))?.choices, ['text', 'json']);
  t.is((await setting('token-file'))?.choices, undefined);
});

test('limits and engines are changed at once, and other settings wait for a restart', async (t) => {
  const { host, path, change, read, setting } = await openedSettings(t);
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 0, endMs: 20_000 } });
  const named = { 'reviewer-id': 'reviewer:ann' };
  const short = await change({ set: { 'maximum-study-range-ms': 10_000, ...captioning, ...named } });
  const answer = host.granted(t, short, 200, settingsChanged, cors);
  t.deepEqual(answer.atOnce, ['maximum-study-range-ms', ...Object.keys(captioning)]);
  t.deepEqual(answer.afterRestart, Object.keys(named));
  host.refused(t, await host.post('/v1/runtime-plans', request), 'study_range_too_large');
  t.like(await setting('maximum-study-range-ms'), { value: 10_000, source: 'file', next: 10_000 });
  t.like(await setting('caption-executor'), { value: 'grouped-subtitles', source: 'file', next: 'grouped-subtitles' });
  t.like(await setting('reviewer-id'), { value: null, next: 'reviewer:ann' });
  t.true((await read()).restart.isNeeded);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
    'maximum-study-range-ms': 10_000,
    ...captioning,
    ...named,
  });

  host.granted(t, await change({ unset: ['maximum-study-range-ms'] }), 200, settingsChanged, cors);
  t.is((await host.post('/v1/runtime-plans', request)).status, 200);
});

test('bug: a person signed with a name that was not theirs until the host restarted; the id of the reviewer stays', async (t) => {
  const { host, change, setting } = await openedSettings(t, { life: 'studied' });
  const path = `/v1/runtimes/${host.known.studies.tenSeconds}/publish-review-decisions`;
  const reviewer = async () => host.granted(t, await host.get(path), 200, publishReviewDecisions).reviewer;
  const { id } = await reviewer();
  const answer = host.granted(t, await change({ set: { 'reviewer-label': 'Sua Kim' } }), 200, settingsChanged, cors);
  t.deepEqual([answer.atOnce, answer.afterRestart], [['reviewer-label'], []]);
  t.like(await reviewer(), { id, label: 'Sua Kim' });
  t.like(await setting('reviewer-label'), { value: 'Sua Kim', source: 'file', change: 'at_once' });
  t.is((await change({ set: { 'reviewer-label': ' two\nlines' } })).status, 400);
  t.is((await reviewer()).label, 'Sua Kim');
});

test('another caption executor takes the permission of the one before out of the file', async (t) => {
  const { change, path } = await openedSettings(t);
  await change({ set: captioning });
  await change({ set: { 'caption-executor': 'recognized', 'allow-recognized-captions': true } });
  const after = { 'caption-executor': 'recognized', 'allow-recognized-captions': true };
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), after);
});

test('a caption executor that is unset takes its permission and its model along', async (t) => {
  const { host, change, path } = await openedSettings(t);
  await change({ set: captioning });
  host.granted(t, await change({ unset: ['caption-executor'] }), 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), {});
});

test('bug: of settings that were changed at the same time, one was kept and the others failed', async (t) => {
  const { host, change, path } = await openedSettings(t);
  const settings = { 'maximum-study-range-ms': 700_000, 'maximum-live-studies': 500, 'reviewer-label': 'Ann' };
  const changes = Object.entries(settings).map(([name, value]) => change({ set: { [name]: value } }));
  for (const answer of await Promise.all(changes)) host.granted(t, answer, 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), settings);
});

const refusals: RefusedChanges = [
  ['an unknown name', { set: { prot: 1 } }, 'invalid_settings_change', /no setting prot/],
  ['a value that does not fit', { set: { 'log-format': true } }, 'invalid_settings_change', /text or a number/],
  ['options that do not agree', { set: { 'caption-executor': 'recognized' } }, 'invalid_settings_change', /needs/],
  ['nothing', {}, 'invalid_settings_change', /nothing/],
  [
    'the file and a setting',
    { set: { port: 1 }, fromFile: true },
    'invalid_settings_change',
    /^fromFile: nothing is set or unset beside it$/,
  ],
  ['set and unset', { set: captioning, unset: ['caption-executor'] }, 'invalid_settings_change', /at once/],
  ['a port', { set: { port: 1 } }, 'setting_not_changeable', /settings set port=VALUE/],
  [
    'an option of the start',
    { set: { 'maximum-live-studies': 9 } },
    'setting_not_changeable',
    /an option on the command line of the host sets maximum-live-studies: start the host without it/,
  ],
  [
    'bug: a model server with a fragment, which no model uses yet',
    { set: { 'model-server': 'http://127.0.0.1:11434/v1#part' } },
    'invalid_settings_change',
    /^model-server must not have a query or a fragment/,
  ],
  [
    'bug: a model server on this machine with a password, which was said to be outside of it',
    { set: { 'model-server': 'http://me:secret@127.0.0.1:11434/v1' } },
    'invalid_settings_change',
    /^model-server must not hold a name or a password/,
  ],
];

for (const [what, request, code, message] of refusals) {
  test(`a change of settings is refused, and nothing is written: ${what}`, async (t) => {
    const { host, change, read } = await openedSettings(t, { flags: ['--maximum-live-studies', '7'] });
    t.regex(host.refused(t, await change(request), code, cors), message);
    t.is((await read()).file.state, 'absent');
  });
}

test('settings are changed and hosts restarted only by allowed origins with the token', async (t) => {
  const { host } = await openedSettings(t);
  for (const [path, json] of [
    ['/v1/settings-changes', { schema: 'studio.settings-change.v1', set: captioning }],
    ['/v1/host-restarts', { schema: 'studio.host-restart-request.v1' }],
  ] as const) {
    host.refused(t, await host.post(path, json), 'origin_required');
    const evil = { Origin: 'http://evil.example' };
    host.refused(t, await host.ask('POST', path, { headers: evil, json }), 'origin_not_allowed');
    host.refused(t, await host.ask('POST', path, { headers, json, token: null }), 'unauthorized', [
      'www-authenticate',
      ...cors,
    ]);
  }
});

test('a settings file that cannot be read is named, and neither changed nor restarted into', async (t) => {
  const { host, path, change, read } = await openedSettings(t);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{ "port": }');
  const { file, restart } = await read();
  t.is(file.state, 'unreadable');
  t.regex(file.fault ?? '', /^1:11: ValueExpected/);
  t.false(restart.isPossible);
  host.refused(t, await change({ set: captioning }), 'settings_unreadable', cors);
  const json = { schema: 'studio.host-restart-request.v1' };
  host.refused(t, await host.ask('POST', '/v1/host-restarts', { headers, json }), 'restart_refused', cors);
});

for (const [what, settings, reason] of [
  [
    'a value that no host takes',
    { 'maximum-study-range-ms': 'abc' },
    /: maximum-study-range-ms abc: an integer from 1/,
  ],
  ['an executor without its permission', { 'caption-executor': 'recognized' }, /needs allow-recognized-captions$/],
] as const) {
  test(`bug: a host restarted into settings with which no host starts: ${what}`, async (t) => {
    const { host, path, read } = await openedSettings(t);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(settings));
    const { file, restart } = await read();
    t.is(file.state, 'read');
    t.false(restart.isPossible);
    t.regex(restart.text, reason);
    const json = { schema: 'studio.host-restart-request.v1' };
    host.refused(t, await host.ask('POST', '/v1/host-restarts', { headers, json }), 'restart_refused', cors);
    t.false(host.reports().includes('restart'));
  });
}

test('a host answers before it restarts, and not while it receives a whole file', async (t) => {
  const { host, read } = await openedSettings(t);
  const restart = (json: unknown = { schema: 'studio.host-restart-request.v1' }) =>
    host.ask('POST', '/v1/host-restarts', { headers, json });
  host.refused(t, await restart({}), 'invalid_restart_request', cors);
  const { startedAt } = host.granted(t, await restart(), 202, hostRestart, cors);
  t.is(startedAt, (await read()).startedAt);
  t.true(host.reports().includes('restart'));

  const ingestId = await openIngest(t, host, ingestRequest(1000));
  const upload = host.request('PUT', `${ingests}/${ingestId}/media`, 1000, octets);
  upload.send(Buffer.from('\0\0\0\x20ftypisom'));
  await eventually('the upload to begin', async () => !(await read()).restart.isPossible, 5);
  t.regex(host.refused(t, await restart(), 'restart_refused', cors), /uploaded whole/);
  upload.leave();
});

test('engines of this machine are found with the settings that use them', async (t) => {
  const { host, change, setting } = await openedSettings(t);
  const { engines } = host.granted(t, await host.get('/v1/found-engines'), 200, foundEngines);
  const subtitles = engines.find(({ engine }) => engine === 'captions');
  t.like(subtitles, { state: 'found', reach: 'this_host', confirmation: null });
  host.granted(t, await change({ set: subtitles?.use ?? {} }), 200, settingsChanged, cors);
  t.like(await setting('caption-executor'), { next: 'grouped-subtitles' });
});

test('captions are made as soon as their executor is set, and no more once it is unset', async (t) => {
  const { host, change } = await openedSettings(t, { life: 'approved' });
  const { approval, studies } = host.known;
  const productions = `/v1/runtimes/${studies.twelveSeconds}/caption-productions`;
  const produce = () => host.ask('POST', productions, { headers, json: { approval } });
  const embedded = { 'caption-executor': 'embedded-subtitles', 'allow-embedded-subtitle-captions': true };
  host.refused(t, await produce(), 'caption_current_run_causality_required', cors);
  host.granted(t, await change({ set: embedded }), 200, settingsChanged, cors);
  host.granted(t, await change({ unset: ['caption-executor'] }), 200, settingsChanged, cors);
  host.refused(t, await produce(), 'caption_current_run_causality_required', cors);
  host.granted(t, await change({ set: embedded }), 200, settingsChanged, cors);
  t.is((await produce()).status, 201);
});

for (const [what, set, code, message, confirmation = 'sent_to_a_server_on_this_machine'] of [
  [
    'a server outside this machine as if it were on it',
    { 'permit-server': ['https://models.example/v1'] },
    'settings_confirmation_required',
    /^text or sound leaves this machine, and each request may cost money; confirmation: leaves_this_machine_and_may/,
  ],
  [
    'the address of a server with a password, which is not repeated',
    { 'permit-server': ['http://me:secret@127.0.0.1:9/v1'] },
    'invalid_settings_change',
    /^permit-server must not hold a name or a password$/,
  ],
] as const satisfies readonly (readonly [string, SettingsChangeRequest['set'], ErrorCode, RegExp, ...string[]])[]) {
  test(`a permission is refused, and nothing is written: ${what}`, async (t) => {
    const { host, change, read } = await openedSettings(t);
    t.regex(host.refused(t, await change({ set, confirmation }), code, cors), message);
    t.is((await read()).file.state, 'absent');
  });
}

test('a paid server is permitted by its address and its confirmation, and named on the command line alone', async (t) => {
  const { host, change, setting } = await openedSettings(t);
  const confirmation = 'leaves_this_machine_and_may_cost';
  const set = { 'permit-server': ['https://models.example/v1/'] };
  host.granted(t, await change({ set, confirmation }), 200, settingsChanged, cors);
  t.like(await setting('permit-server'), { value: set['permit-server'] });
  const named = { set: { 'model-server': 'https://models.example/v1' }, confirmation } as const;
  host.refused(t, await change(named), 'setting_not_changeable', cors);
});
