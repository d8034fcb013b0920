import { readFile } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import { causeText } from '../../contract/causes/wording.ts';
import { furtherArtifact } from '../../contract/evidence/evidence.ts';
import { describedKinds } from '../../contract/evidence/evidence-kinds.ts';
import {
  allKinds,
  companionOf,
  furtherInPass,
  furtherRecord,
  kindNamed,
  kindsForPeople,
  passKinds,
} from '../../kinds/kinds.ts';
import { metersOver } from './meters-for-tests.ts';

/** The reasons why a kind of a track may be missing, as a study gives them. */
const reasons = {
  audio: ['no_audio_track', 'no_audio_in_range'],
  video: ['no_video_track', 'no_frames_in_range'],
  subtitle: ['no_text_subtitle_track', 'subtitle_format_unsupported', 'subtitle_limit_exceeded'],
} as const;

test('kinds, sorts of facts of one kind, and places on a page have names and numbers of their own', (t) => {
  t.is(new Set(allKinds.map(({ name }) => name)).size, allKinds.length);
  for (const { name } of allKinds) t.is(kindNamed(name)?.name, name);
  t.is(kindNamed('none'), undefined);
  const places = allKinds.filter(({ track }) => track !== null).map(({ lane }) => lane.place);
  t.is(new Set(places).size, places.length);
});

for (const kind of allKinds) {
  test(`${kind.name} declares a title, facts with words and a look, a lane, and a row`, (t) => {
    t.regex(kind.title, /^[a-z][^.]*[^.]$/);
    const facts = Object.entries(kind.facts);
    t.true(facts.length > 0);
    for (const [name, { schema, words }] of facts) {
      t.true(schema.shape.kind instanceof z.ZodType);
      t.true(schema.shape.kind.safeParse(name).success, name);
      t.true(words.length > 0);
    }
    t.is(typeof kind.row.name, 'function');
    const nothing = kind.order === 'whole' ? null : kind.found([], { startMs: 0, endMs: 1000 });
    if (nothing !== null) t.deepEqual(nothing.places, []);
  });

  test(`if ${kind.name} is missing, each reader has words for the cause`, (t) => {
    const causes = kind.track === null ? [] : reasons[kind.track];
    for (const code of causes)
      for (const reader of ['terminal', 'page', 'agent'] as const)
        t.true(causeText({ code, params: {} }, reader).what.length > 5);
    t.pass();
  });
}

for (const kind of passKinds) {
  test(`${kind.name} states its rule, and what it measures by`, (t) => {
    t.true(Object.keys(kind.parameters).length > 0);
    for (const value of Object.values(kind.parameters)) t.true(['string', 'number'].includes(typeof value));
    t.is(['meter', 'ofSound', 'ofTimes'].filter((name) => name in kind).length, 1);
    t.is(companionOf(kind), kind.track === 'video' ? 'shot_changes' : 'silence');
  });
}

test('what every meter keeps between two windows has the form that its kind declares', async (t) => {
  const range = { startMs: 0, endMs: 10_000 };
  const { meters } = metersOver(range, { startMs: 0, endMs: 5000 });
  const states = await meters.save();
  for (const kind of passKinds) {
    if ('meter' in kind) t.deepEqual(kind.state.parse(states[kind.name]), states[kind.name], kind.name);
  }
});

test('the answer about kinds has the form of the contract, and its words name fields of the facts', (t) => {
  t.deepEqual(describedKinds.parse(kindsForPeople), kindsForPeople);
  for (const { kind, facts } of kindsForPeople.kinds) {
    for (const fact of facts) {
      const { shape } = kindNamed(kind)?.facts[fact.kind]?.schema ?? { shape: {} };
      const named = fact.words.flatMap((part) => (typeof part === 'string' ? [] : [part.value.split('.')[0] ?? '']));
      t.deepEqual(
        named.filter((name) => !Object.hasOwn(shape, name)),
        [],
        `${kind} ${fact.kind}`,
      );
    }
  }
});

const record = (kind: string, fact: object) => ({
  schema: 'studio.further-evidence.v1',
  kind,
  input: { sourceContentId: `sha256:${'0'.repeat(64)}`, range: { startMs: 0, endMs: 1000 }, trackIndex: 0 },
  tool: { name: 'ffmpeg', version: '7', digest: `sha256:${'1'.repeat(64)}` },
  parameters: {},
  facts: [fact],
});
const span = { index: 0, startMs: 0, endMs: 900 };

test('a record takes the facts of known kinds alone, each in the form of its kind', (t) => {
  const black = { kind: 'black', ...span, blackMilli: 990 };
  t.true(furtherRecord.safeParse(record('black_frames', black)).success);
  t.false(furtherRecord.safeParse(record('black_frames', { ...black, more: 1 })).success);
  t.false(furtherRecord.safeParse(record('mean_light', { kind: 'mean_light.level', ...span, levelMilli: 5 })).success);
});

test('the wire leaves room for kinds that come later, and a known fact keeps its form', (t) => {
  const later = record('mean_light', { kind: 'mean_light.level', ...span, levelMilli: 5 });
  t.deepEqual(furtherArtifact.parse(later) as object, later);
  t.false(furtherArtifact.safeParse(record('black_frames', { kind: 'black', ...span })).success);
  t.false(furtherArtifact.safeParse(record('mean_light', { kind: 'level', ...span })).success);
});

test('further kinds are those of a pass that no receipt names, in the order of the journal', (t) => {
  t.deepEqual(
    furtherInPass.map(({ name }) => name),
    [
      ...['transitions', 'black_frames', 'frozen_frames', 'keyframes'],
      ...['waveform', 'audio_faults', 'interlacing', 'letterbox', 'time_base'],
    ],
  );
});

/** The files that each knew every kind by name. */
const folding = [
  ...['decode-graph', 'decode-pass', 'detect', 'detection-identity'].map((name) => `executors/evidence/${name}.ts`),
  ...['stages/detect', 'evidence/facts', 'evidence/delivered', 'overview/found', 'overview/findings'].map(
    (name) => `receipts/${name}.ts`,
  ),
  ...[
    'actors/study/media-passes.ts',
    'cli/terminal/summary.ts',
    'console/timeline/lanes.ts',
    'console/study/answer.tsx',
  ],
];

for (const file of folding) {
  test(`${file} folds the list of kinds, and names none of them`, async (t) => {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
    t.deepEqual(
      furtherInPass.filter(({ name }) => text.includes(`'${name}'`)).map(({ name }) => name),
      [],
    );
  });
}
