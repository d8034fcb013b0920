import test from 'ava';
import { captions } from '../../cli/commands/captions.ts';
import { deleting } from '../../cli/commands/deletion.ts';
import {
  hasStudyOf,
  namedSource,
  namedStudy,
  sourceLine,
  sourceNamed,
  studyArgument,
  studyLine,
} from '../../cli/commands/named.ts';
import { checkReviewer } from '../../cli/commands/reviewer.ts';
import { type CommandCall, WrongCall } from '../../cli/terminal/call.ts';
import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { cancellationMessage } from '../../contract/study/cancellation.ts';
import { nearestName, parseFlags, single } from '../../options/flags.ts';

const study = (id: string, label: string | null) => ({
  runtimeId: `runtime:${id}`,
  label,
  acceptedAt: '2026-01-02T03:04:05.006Z',
  lifecycle: 'terminal',
  range: { startMs: 0, endMs: 1000 },
});
const studies = [
  study('0123aaaa-0000-4000-8000-000000000000', 'film'),
  study('0199aaaa-0000-4000-8000-000000000000', 'talk'),
  study('beefaaaa-0000-4000-8000-000000000000', 'talk'),
];
const source = (id: string, label: string) => ({
  sourceSessionId: `source-session:${id}`,
  label,
  durationMs: 1000,
  trackCount: 2,
});
const sources = [source('ab01', 'film'), source('ab02', 'talk'), source('cd03', 'unseen')];

/** The overview of each of these; that of the last one cannot be read. */
const overview = async (runtimeId: string): Promise<unknown> => {
  if (runtimeId.startsWith('runtime:beef')) throw new Error('damaged');
  return { study: { sourceLanguage: { languages: ['ko'] }, targetLanguage: 'en' } };
};

/** A host that lists these, two studies a page, and a damaged one. */
const call = {
  host: {
    runtimes: async ({ after }: { after?: string }) =>
      after === undefined
        ? { runtimes: studies.slice(0, 2), damaged: ['runtime:dead'], nextCursor: 'two' }
        : { runtimes: studies.slice(2), damaged: [], nextCursor: null },
    overview,
    sources: async () => sources,
  } as unknown as StudyHost,
};

test('bug: a label or a beginning of an id named no study', async (t) => {
  const [film, talk, other] = studies.map(({ runtimeId }) => runtimeId);
  t.is(await namedStudy(call, 'film'), String(film));
  t.is(await namedStudy(call, 'runtime:0123'), String(film));
  t.is(await namedStudy(call, '0199'), String(talk));
  t.is(await namedStudy(call, 'beef'), String(other));
  t.is(await namedStudy(call, 'dead'), 'runtime:dead');
  // The host knows whether an id was deleted.
  const gone = 'runtime:99999999-0000-4000-8000-000000000000';
  t.is(await namedStudy(call, gone), gone);
  t.is(await namedStudy(call, 'runtime:none'), 'runtime:none');
});

test('bug: a missing study was reported without a way to find one', async (t) => {
  const missing = (runtimes: readonly object[], more?: readonly string[]) => {
    const host = { runtimes: async () => ({ runtimes, damaged: [], nextCursor: null }) } as unknown as StudyHost;
    return t.throwsAsync(studyArgument({ host, given: parseFlags([], {}) }, 0, more), { instanceOf: WrongCall });
  };
  t.is(
    (await missing(studies)).message,
    'RUNTIME is missing: give the id of a study or the label of its source; media-study runtimes lists the studies',
  );
  t.is((await missing([])).message, 'RUNTIME is missing, and there is no study yet: media-study study FILE makes one');
  const only = (await missing(studies.slice(0, 1), ['facts.csv'])).message;
  t.regex(only, /^RUNTIME is missing; the only study is of film: media-study .*runtime:0123aaaa-\S+ facts\.csv$/);
});

test('bug: captions edit without a study read edit as the label of a study', async (t) => {
  const unread = async (): Promise<unknown> => t.fail('no study is named');
  const edit = (args: readonly string[], runtimes: readonly object[] = studies, read: typeof overview = unread) => {
    const host = {
      runtimes: async () => ({ runtimes, damaged: [], nextCursor: null }),
      sources: async () => sources,
      overview: read,
    } as unknown as StudyHost;
    const given = parseFlags(args, captions.flags, captions.positionals);
    return captions.run({ host, given } as CommandCall);
  };
  const missing = { instanceOf: WrongCall, message: /^RUNTIME is missing: give the id of a study/ };
  await t.throwsAsync(edit(['edit']), missing);
  await t.throwsAsync(edit(['edit', '--file', 'lines.srt']), missing);
  await t.throwsAsync(edit(['edit'], studies.slice(0, 1)), {
    message: /^RUNTIME is missing; the only study is of film: /,
  });
  // A source may be called so.
  const named = [
    study('0777aaaa-0000-4000-8000-000000000000', 'edit'),
    study('0888aaaa-0000-4000-8000-000000000000', 'edit'),
  ];
  await t.throwsAsync(edit(['edit'], named, overview), { message: /^2 studies are called edit; / });
});

test('bug: a person had to agree to delete a source that is not there', async (t) => {
  const asking = {
    isInteractive: true,
    remark: () => t.fail('nothing is to be deleted'),
    ask: () => t.fail('it was asked'),
  };
  const given = parseFlags(['source', 'fim'], deleting.flags, deleting.positionals);
  await t.throwsAsync(async () => deleting.run({ ...call, given, terminal: asking } as unknown as CommandCall), {
    instanceOf: WrongCall,
    message: /^no source of this host is fim, did you mean film\?; /,
  });
});

test('bug: what a person agrees to delete was named by 64 hex digits alone', async (t) => {
  const deletions = { previewRuntime: async () => ({}), previewSource: async () => ({}) };
  const host = { ...call.host, overview: async () => ({ source: { label: 'film' } }), deletions };
  const agreed = async (...args: readonly string[]) => {
    const remarks: string[] = [];
    const terminal = { isInteractive: true, remark: (line: string) => remarks.push(line), ask: async () => 'no' };
    const given = parseFlags(args, deleting.flags, deleting.positionals);
    await t.throwsAsync(async () => deleting.run({ host, given, terminal } as unknown as CommandCall), {
      message: 'nothing was deleted',
    });
    return remarks;
  };
  const last = 'will be deleted permanently; only a record of the deletion remains.';
  t.deepEqual(await agreed('source', 'film'), [`film (source-session:ab01) ${last}`]);
  t.deepEqual(await agreed('runtime', 'film'), [`the study of film (${studies[0]?.runtimeId}) ${last}`]);
  t.deepEqual(await agreed('source', 'source-session:gone'), [`source source-session:gone ${last}`]);
});

test('bug: a part of a label did not lead to the label, and every short word to some command', (t) => {
  const commands = ['study', 'gc', 'export'];
  t.is(nearestName('-v', commands), null);
  t.is(nearestName('gd', commands), 'gc');
  t.is(nearestName('reading', ['Reading room (sample)', 'talk']), 'Reading room (sample)');
  t.is(nearestName('facts', ['facts.csv', 'labels.txt']), 'facts.csv');
  t.is(nearestName('captions', ['captions.srt', 'captions.vtt']), null);
  t.is(nearestName('a', ['talk about it']), null);
});

test('bug: several studies of one name were listed without their languages, and looked alike', async (t) => {
  const error = await t.throwsAsync(namedStudy(call, 'talk'), { instanceOf: WrongCall });
  t.deepEqual(error.message.split('\n'), [
    '2 studies are called talk; name one by its id, or by the beginning of its id:',
    '  runtime:0199aaaa-0000-4000-8000-000000000000  2026-01-02T03:04:05.006Z  terminal  0:00.000-0:01.000  talk  ko to en',
    '  runtime:beefaaaa-0000-4000-8000-000000000000  2026-01-02T03:04:05.006Z  terminal  0:00.000-0:01.000  talk',
  ]);
  await t.throwsAsync(namedStudy(call, '01'), { message: /^2 studies are called 01; / });
});

test('a word that names no study is reported as such, with similar names', async (t) => {
  await t.throwsAsync(namedStudy(call, 'flim'), {
    instanceOf: WrongCall,
    message: /^no study has the label flim or an id that begins with it, did you mean film\?; media-study runtimes/,
  });
  await t.throwsAsync(namedStudy(call, 'unseen'), {
    message: 'unseen is not studied yet: media-study study source-session:cd03',
  });
});

test('bug: a beginning of an id named no source, and several of one label were not listed', async (t) => {
  t.is((await sourceNamed(call, 'cd')).label, 'unseen');
  t.is((await sourceNamed(call, 'source-session:ab02')).label, 'talk');
  await t.throwsAsync(sourceNamed(call, 'ab'), {
    message:
      '2 sources are called ab; name one by its id, or by the beginning of its id:\n  source-session:ab01  0:01.000  2 tracks  film\n  source-session:ab02  0:01.000  2 tracks  talk',
  });
  await t.throwsAsync(sourceNamed(call, 'flim'), { message: /^no source of this host is flim, did you mean film\?; / });
  // A file of this name is nearer than an id that begins with it.
  t.is(await namedSource(call, 'ab', false), undefined);
});

test('bug: a label in the form of macOS could not be typed', async (t) => {
  const typed = ['Müller über Öl', '열람실', 'が', 'Tiếng Việt'];
  for (const name of typed) {
    const [composed, decomposed] = [name.normalize('NFC'), name.normalize('NFD')];
    const id = '0123aaaa-0000-4000-8000-000000000000';
    const of = (label: string) => ({
      host: {
        runtimes: async () => ({ runtimes: [study(id, label)], damaged: [], nextCursor: null }),
        sources: async () => [source('ab01', label)],
      } as unknown as StudyHost,
    });
    for (const [stored, given] of [
      [decomposed, composed],
      [composed, decomposed],
    ] as const) {
      t.is(await namedStudy(of(stored), given), `runtime:${id}`);
      t.true(await hasStudyOf(of(stored), given));
      t.is((await sourceNamed(of(stored), given)).label, stored);
    }
    const unstudied = {
      host: { ...of(decomposed).host, runtimes: async () => ({ runtimes: [], damaged: [], nextCursor: null }) },
    };
    await t.throwsAsync(namedStudy(unstudied as unknown as typeof call, composed), {
      message: / is not studied yet: /,
    });
  }
  // Neither case nor width were equal before.
  await t.throwsAsync(sourceNamed(call, 'Ｆilm'), { instanceOf: WrongCall });
  await t.throwsAsync(sourceNamed(call, 'Film'), { instanceOf: WrongCall });
});

test('sources whose labels differ in their Unicode form alone are listed with their ids', async (t) => {
  const [one, other] = [source('ab01', '열람실'.normalize('NFC')), source('ab02', '열람실'.normalize('NFD'))];
  const both = { host: { sources: async () => [one, other] } as unknown as StudyHost };
  for (const { label } of [one, other]) {
    const error = await t.throwsAsync(sourceNamed(both, label), { instanceOf: WrongCall });
    t.deepEqual(
      error.message.split('\n').slice(1),
      [sourceLine(one as never), sourceLine(other as never)].map((line) => `  ${line}`),
    );
  }
  t.is((await sourceNamed(both, 'ab02')).label, other.label);
});

test('bug: a reviewer in the other Unicode form was another reviewer', (t) => {
  const given = (name: string) => parseFlags(['--reviewer', name], { reviewer: single('NAME', null, 'who') });
  const reviewer = { id: 'reviewer', label: 'Jürgen'.normalize('NFD') };
  t.notThrows(() => checkReviewer(given('Jürgen'.normalize('NFC')), reviewer));
  t.throws(() => checkReviewer(given('Jurgen'), reviewer), { instanceOf: WrongCall });
});

test('a label in the other Unicode form is near a mistyped one', (t) => {
  t.is(nearestName('열람싷'.normalize('NFC'), ['열람실'.normalize('NFD')]), '열람실'.normalize('NFD'));
  t.is(nearestName('über'.normalize('NFC'), ['Müller über Öl'.normalize('NFD')]), 'Müller über Öl'.normalize('NFD'));
});

test('bug: a study that a person canceled was listed as interrupted', (t) => {
  const row = (message: string) =>
    ({ ...studies[0], lifecycle: 'interrupted', reason: { code: 'executor_interrupted', message } }) as never;
  t.regex(studyLine(row(cancellationMessage)), / canceled {2}0:00/);
  t.regex(studyLine(row('resumes exhausted')), / interrupted {2}0:00/);
});

test('bug: delete asked for a yes, and refused after it', async (t) => {
  const refusal = new HostError({
    status: 409,
    code: 'source_in_use',
    message: 'two studies need it',
    retryAfterSeconds: null,
  } as ConstructorParameters<typeof HostError>[0]);
  const asked = (previewSource: () => Promise<unknown>) => {
    const steps: string[] = [];
    const terminal = {
      isInteractive: true,
      remark: () => undefined,
      result: () => undefined,
      ask: async () => {
        steps.push('asked');
        return 'no';
      },
    };
    const deletions = {
      previewSource,
      source: async () => {
        steps.push('deleted');
        return { deletedAt: '', receiptId: '', erased: { rows: 0, events: 0, objects: 0, objectBytes: 0 } };
      },
    };
    const given = parseFlags(['source', 'unseen'], deleting.flags, 2);
    const run = deleting.run({ ...call, given, terminal, host: { ...call.host, deletions } } as unknown as CommandCall);
    return { steps, run };
  };
  const refused = asked(() => Promise.reject(refusal));
  await t.throwsAsync(refused.run, { is: refusal });
  t.deepEqual(refused.steps, []);
  const unconfirmed = asked(async () => ({}));
  await t.throwsAsync(unconfirmed.run, { instanceOf: WrongCall, message: 'nothing was deleted' });
  t.deepEqual(unconfirmed.steps, ['asked']);
});
