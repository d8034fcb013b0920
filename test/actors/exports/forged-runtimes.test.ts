import test from 'ava';
import {
  bundleOf,
  bundlesOfStudy,
  packed,
  relisted,
  resigned,
  runtimeId,
  study,
  unpacked,
  unsigned,
  verdictOf,
} from './bundled-study.ts';
import { checkMutations, edited, type Mutation, objectOf, start, withEntry, without } from './mutations.ts';

const media = study.run.record.sourceSession.source;

const event = (at: number, change: (line: string) => string[]) => (content: Buffer) => {
  const lines = String(content).trimEnd().split('\n');
  return Buffer.from(`${lines.flatMap((line, index) => (index === at - 1 ? change(line) : [line])).join('\n')}\n`);
};

/** Forgers who list and sign anew: what the records say of each other finds them. */
const forged =
  (name: string, change: (content: Buffer) => Uint8Array): Mutation[1] =>
  async (_, entries) =>
    packed(resigned(relisted(withEntry(entries, name, change))));

const records: Readonly<Record<string, Mutation>> = {
  'a journal with an event less': [
    'journal: event 4: eventId',
    forged(
      'journal.jsonl',
      event(4, () => []),
    ),
  ],
  'a journal with an event twice': [
    'journal: event 5: eventId',
    forged(
      'journal.jsonl',
      event(4, (line) => [line, line]),
    ),
  ],
  'a journal without its end': [
    'journal: head.seq',
    forged(
      'journal.jsonl',
      event(study.commits.flat().length, () => []),
    ),
  ],
  'an event that says something else': [
    'journal: head.digest',
    forged(
      'journal.jsonl',
      event(4, (line) => [line.replace('"label":"Media study"', '"label":"Other study"')]),
    ),
  ],
  'an event with spaces': [
    'journal: event 4: canonical_form',
    forged(
      'journal.jsonl',
      event(4, (line) => [line.replace(',', ', ')]),
    ),
  ],
  'a journal that is cut': [
    /^bundle: journal.jsonl: event \d+ is cut$/,
    forged('journal.jsonl', (content) => content.subarray(0, -1)),
  ],
  'rows of another end': [
    /^(journal|row): /,
    forged(
      'rows.json',
      edited((record) => ({ ...record, lifecycle: 'failed' })),
    ),
  ],
  'rows with a label of the source': [
    'row: source.label',
    forged(
      'rows.json',
      edited((record) => ({ ...record, source: { ...record.source, label: 'Other' } })),
    ),
  ],
  'rows with a folder of this machine': [
    /^row: source/,
    forged(
      'rows.json',
      edited((record) => ({ ...record, source: { ...record.source, folder: '/etc' } })),
    ),
  ],
  'rows with an actor that the journal lacks': [
    'row: actors',
    forged(
      'rows.json',
      edited((record) => ({ ...record, actors: [{ name: 'caption', id: 'x', status: 'checked' }] })),
    ),
  ],
  'rows of another shape': [
    'bundle: rows.json: start',
    forged(
      'rows.json',
      edited(({ start: _, ...record }) => record),
    ),
  ],
  'rows of another start': [
    'row: start.ids.taskId',
    forged(
      'rows.json',
      edited((record) => ({
        ...record,
        start: { ...record.start, ids: { ...record.start?.ids, taskId: 'task:9' } },
      })),
    ),
  ],
  'a runtime of another id': [
    /^journal: event 1: /,
    async (_, entries) =>
      packed(
        resigned(
          relisted(entries, (manifest) => ({
            ...manifest,
            runtimeId: runtimeId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
          })),
        ),
      ),
  ],
  'media of another length': [
    /^source: |^bundle: manifest.json: media/,
    async (_, entries) =>
      packed(
        resigned(
          relisted(entries, (manifest) => ({ ...manifest, media: { ...manifest.media, bytes: media.bytes + 1 } })),
        ),
      ),
  ],
  'media that is said to be there': [
    'source: raw-media: missing',
    async (_, entries) =>
      packed(
        resigned(relisted(entries, (manifest) => ({ ...manifest, media: { ...manifest.media, included: true } }))),
      ),
  ],
  'a record that is missing from the list, too': [
    'start: missing',
    async (_, entries) => packed(resigned(relisted(without(entries, start)))),
  ],
  'an object that no record names': [
    /^bundle: objects\/sha256\/[a-f0-9]{64}: no record names it$/,
    async (_, entries) =>
      packed(
        resigned(
          relisted(
            new Map([
              ...entries,
              [
                objectOf('sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'),
                Buffer.from('hello'),
              ],
            ]),
          ),
        ),
      ),
  ],
  'an unsigned forgery': [
    'journal: head.digest',
    async (_, entries) =>
      packed(
        unsigned(
          relisted(
            withEntry(
              entries,
              'journal.jsonl',
              event(4, (line) => [line.replace('Media study', 'Other study')]),
            ),
          ),
        ),
      ),
  ],
};

test('bug: a study that its bundle says is still running was intact, and its journal could be cut anywhere', async (t) => {
  const reason = { code: 'executor_interrupted', message: 'the host was stopped' } as const;
  const { bundles } = await bundlesOfStudy(t, { commits: 3, lifecycle: 'interrupted', reason });
  const bytes = await bundleOf(bundles);
  t.is((await verdictOf(bytes)).found, 'intact');
  for (const lifecycle of ['running', 'initializing', 'accepted']) {
    const live = edited((record) => ({ ...record, lifecycle, reason: null }));
    const forged = await packed(resigned(relisted(withEntry(await unpacked(bytes), 'rows.json', live))));
    t.is((await verdictOf(forged)).found, 'bundle: rows.json: lifecycle', lifecycle);
  }
});

test('what a forger listed and signed anew is found by what the records say of each other', (t) =>
  checkMutations(t, records));
