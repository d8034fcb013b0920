import test from 'ava';
import { z } from 'zod';
import { type Cause, cause, ingestCause, plannedCause } from '../../contract/causes/causes.ts';
import { refusalParts } from '../../contract/causes/refusal-parts.ts';
import { failureCauseOf, failureDetailOf, firstWordOf } from '../../contract/causes/stored-failures.ts';
import { causeText, plainSpelling, type Reader, wireText } from '../../contract/causes/wording.ts';
import { captionObstacle } from '../../contract/study/start.ts';

interface Shape {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** Every value of a shape, as far as its tags go: numbers are 120000, and texts are tags of a language. */
function valuesOf(shape: Shape): readonly unknown[] {
  const { const: only, enum: tags, anyOf, oneOf = anyOf, items, properties, type } = shape;
  if (only !== undefined) return [only];
  if (tags !== undefined) return tags;
  if (oneOf !== undefined) return oneOf.flatMap(valuesOf);
  if (items !== undefined) return valuesOf(items).map((each) => [each]);
  if (type === 'null') return [null];
  if (properties === undefined) return type === 'string' ? ['ko'] : [120_000];
  return Object.entries(properties).reduce<readonly object[]>(
    (objects, [name, of]) => objects.flatMap((object) => valuesOf(of).map((value) => ({ ...object, [name]: value }))),
    [{}],
  );
}

const every = valuesOf(z.toJSONSchema(cause) as Shape) as readonly Cause[];
const readers: readonly Reader[] = ['terminal', 'page', 'agent'];

test('every cause has words for every reader, one clause each', (t) => {
  t.true(every.length > 150, `${every.length}`);
  for (const each of every) {
    t.notThrows(() => cause.parse(each));
    for (const reader of readers) {
      const { what, remedy } = causeText(each, reader);
      for (const words of [what, remedy ?? 'none'])
        t.regex(words, /^\S[^\n]*[^.\s]$/, `${each.code} for the ${reader}`);
    }
    t.true(wireText(each).startsWith(causeText(each, 'terminal').what), each.code);
  }
});

test('bug: remedies for the page and for agents named flags, which only a command line has', (t) => {
  const spelling = { ...plainSpelling, language: () => 'Korean', length: () => '2:00' };
  for (const each of every) {
    const { what, remedy } = causeText(each, 'page', spelling);
    t.notRegex(`${what}; ${remedy}`, /--|media-study|\bMEDIA_STUDY|\b\d+ ms\b|[a-z]_[a-z]/, each.code);
    t.notRegex(`${causeText(each, 'agent').remedy}`, /--/, each.code);
  }
});

test('bug: remedies named a command that a person with another prefix or data root could not paste', (t) => {
  const asTyped = { ...plainSpelling, command: (words: string) => `npx it ${words} --data-root here` };
  const commanding = every.filter((each) => causeText(each, 'terminal').remedy?.includes('media-study'));
  t.true(commanding.length > 20, `${commanding.length}`);
  for (const each of commanding) {
    const { what, remedy } = causeText(each, 'terminal', asTyped);
    t.notRegex(`${what}; ${remedy}`, /media-study/, each.code);
    t.regex(`${remedy}`, /npx it [a-z ]+.* --data-root here/, each.code);
  }
});

test('every obstacle of a plan is a cause of the same code, and one that older clients do not have is a cause alone', (t) => {
  const codes = valuesOf(z.toJSONSchema(plannedCause) as Shape).map((each) => (each as Cause).code);
  const later = [
    'recognition_not_asked',
    'language_not_recognised',
    'captions_in_the_picture',
    'subtitle_format_not_read',
    'subtitles_are_pictures',
    'subtitles_in_other_script',
  ];
  t.deepEqual([...new Set(codes)].sort(), [...captionObstacle.options, ...later].sort());
});

test('a stored failure has the cause of its first word, else of its code, else one that is known to no version', (t) => {
  const causeFor = (code: string, message: string) => failureCauseOf({ code, message }, 'file').code;
  t.is(causeFor('probe_failed', 'container_damaged: the file is cut'), 'container_damaged');
  t.is(causeFor('probe_failed', 'no such word: the file is cut'), 'probe_failed');
  t.is(causeFor('upload_failed', 'no bytes within 24 hours'), 'upload_failed');
  t.is(causeFor('code_of_later', 'word_of_later: x'), 'other_failure');
  t.is(causeFor('executor_failed', 'x'), 'other_failure', 'a file is no study');
  for (const code of ['probe_failed', 'download_failed', 'code_of_later']) {
    t.notThrows(() => ingestCause.parse(failureCauseOf({ code, message: 'x' }, 'video')), code);
  }
  t.is(failureDetailOf({ code: 'probe_failed', message: 'not_media: it is text' }, plainSpelling), 'it is text');
  t.is(firstWordOf('translator: unreachable: no server', ['translator', 'unreachable']), 'translator');
  t.is(firstWordOf('translator', ['translator']), null);
});

test('a refusal is divided before its remedy, which may have several clauses', (t) => {
  t.deepEqual(refusalParts('the approval is used; read the reviews; then try again'), {
    what: 'the approval is used',
    remedy: 'read the reviews; then try again',
  });
  t.deepEqual(refusalParts('the approval is used'), { what: 'the approval is used', remedy: null });
});
