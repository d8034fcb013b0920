import test, { type ExecutionContext } from 'ava';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { demandReadable, SubtitleTracks } from '../../../actors/sources/subtitle-tracks.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { openSubtitleFile, resultOfSteps, type SubtitleFile } from '../../../formats/subtitles.ts';
import { sealOwnedIngest, sealWithSubtitles } from '../../../receipts/sources/seal-source.ts';
import { KeyedMutex } from '../../../storage/keyed-mutex.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';
import { clipIngest, mediaBytes } from '../../receipts/sources/sealed-clip.ts';
import { newDataRoot, openStore } from '../reopening/stored-studies.ts';

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

const fileOf = (text: string): SubtitleFile =>
  resultOfSteps(openSubtitleFile(Buffer.from(text, 'utf8'), { format: null, encoding: null }));

const read = (file: SubtitleFile) => demandReadable(bench, file, new AbortController().signal);

const events = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';

const dialogue = (start: string, end: string, text: string) => `Dialogue: 3,${start},${end},Default,A,0,0,0,,${text}`;

const whole = {
  'SubRip with overlaps, repeats and cues without text or time':
    '1\r\n00:00:05,000 --> 00:00:08,000\r\n{\\an8}<b>a</b>\r\n\r\nb\r\n\r\n2\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n\r\n3\r\n00:00:01,000 --> 00:00:02,000\r\n\r\n4\r\n00:00:01,000 --> 00:00:01,000\r\nnever\r\n\r\n5\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n',
  'WebVTT with styles, regions, notes, settings, names and voices':
    'WEBVTT\n\nREGION\nid:a\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE x\ny\n\nfirst\n00:01.000 --> 01:00:02.000 line:0 align:start\n<v A>1 &lt; 2\n\n01:00.500 --> 01:01.000\n<00:01:00.700><c.x>z</c>\n',
  'WebVTT with cues named as comments and heads of files begin':
    'WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:02.000\none\n\nNOTE-1\n00:03.000 --> 00:04.000\ntwo\n\nNOTE three\n\nWEBVTT4\n00:05.000 --> 00:06.000\nfour\n',
  'ASS with overrides, drawings, commas and breaks': `[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name\n\n[Events]\n${events}\n${dialogue('0:00:09.50', '0:00:10.00', '{\\pos(1,2)}a, b\\Nc')}\n${dialogue('0:00:01.00', '0:00:02.00', '{\\p1}m 0 0 l 1 1{\\p0}')}\n${dialogue('0:00:01.00', '0:00:02.00', 'd')}\nComment: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no\n`,
};

for (const [what, text] of Object.entries(whole)) {
  test(`ffmpeg reads every cue of ${what}`, async (t) => {
    await t.notThrowsAsync(read(fileOf(text)));
  });
}

test('a file that ffmpeg reads otherwise than it stands is refused with the cue', async (t) => {
  const file = fileOf('1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n');
  const other = (text: string): SubtitleFile => ({ ...file, text: Buffer.from(text, 'utf8') });
  const refusal = (message: RegExp) => ({ instanceOf: ServiceError, code: 'invalid_subtitle_file', message }) as const;
  await t.throwsAsync(read(other('1\n00:00:01,000 --> 00:00:02,000\na\n')), refusal(/^line 6: ffmpeg does not read/));
  await t.throwsAsync(read(other(`${Buffer.from(file.text)}\n3\n00:00:05,000 --> 00:00:05,500\nc\n`)), refusal(/./));
  await t.throwsAsync(read(other('no subtitles')), refusal(/./));
});

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

const lines = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'utf8');

const said = (label: string): ReadonlyMap<string, string> =>
  new Map(Object.entries({ rightsScope: 'local_processing', ownershipAttested: 'true', rightsHolder: 'Me', label }));

const clip = sealOwnedIngest(clipIngest);

const { sessionId, revisionId } = clip.source.session;

/** The service over a real store that has the clip; `storing` is told of everything that is about to be stored. */
async function open(t: ExecutionContext) {
  const root = await newDataRoot(t);
  const { ledger, objectStore, close } = await openStore(root);
  t.teardown(close);
  await objectStore.put(mediaBytes);
  await objectStore.putAll(clip.objects);
  const registry = new SourceRegistry();
  await ledger.commit(registry.admitUpload(clip.source).writes);
  registry.committed();
  const hook = { storing: async (): Promise<void> => undefined, free: Number.MAX_SAFE_INTEGER };
  const watched: ObjectStore = new Proxy(objectStore, {
    get: (target, key) => {
      if (key === 'freeBytes') return async () => hook.free;
      if (key === 'putAll') {
        return async (objects: Parameters<ObjectStore['putAll']>[0]) => {
          await hook.storing();
          await target.putAll(objects);
        };
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const mutex = new KeyedMutex();
  const { launcher, ffmpeg } = bench;
  const clock = { now: () => Date.parse('2026-01-02T03:04:05.678Z') };
  const tracks = new SubtitleTracks({ ledger, objectStore: watched, registry, mutex, launcher, ffmpeg, clock });
  const stored = async (): Promise<SourceRegistry> => {
    const read = new SourceRegistry();
    t.deepEqual(await read.load(ledger), []);
    return read;
  };
  return { ledger, registry, mutex, tracks, hook, stored };
}

const labelsOf = (tracks: SubtitleTracks): string[] => tracks.list(sessionId).subtitleTracks.map(({ label }) => label);

test('a volume without room takes no file, and the source stays as it is', async (t) => {
  const { tracks, hook, stored } = await open(t);
  hook.free = 1024;
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'insufficient_storage' });
  hook.free = Number.MAX_SAFE_INTEGER;
  hook.storing = async () => {
    throw new ObjectStoreError('storage_fault', 'full', Object.assign(new Error('full'), { code: 'ENOSPC' }));
  };
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'insufficient_storage' });
  t.is(tracks.list(sessionId).sourceRevisionId, revisionId);
  t.is((await stored()).current(sessionId)?.session.revisionId, revisionId);
});

test('a file that is attached twice at once is one track, and others beside it are each one', async (t) => {
  const { tracks, stored } = await open(t);
  const all = await Promise.all(['a', 'b', 'a'].map((label) => tracks.attach(sessionId, said(label), lines)));
  t.deepEqual(
    all.map(({ isNew }) => isNew),
    [true, true, false],
  );
  t.deepEqual(all[2]?.body.track, all[0]?.body.track);
  t.deepEqual(labelsOf(tracks), ['a', 'b']);
  const read = await stored();
  t.deepEqual(read.current(sessionId)?.subtitleTracks, tracks.list(sessionId).subtitleTracks);
  t.is(read.revision(revisionId)?.subtitleTracks, undefined);
});

test('a revision that an ingest registers meanwhile gets the file, too', async (t) => {
  const { tracks, registry, hook } = await open(t);
  const other = sealOwnedIngest({ ...clipIngest, claim: { ...clipIngest.claim, label: 'Another label' } });
  hook.storing = async () => {
    hook.storing = async () => undefined;
    registry.admitUpload(other.source);
  };
  // The bytes of the other revision come with it, as they do in an ingest.
  await t.throwsAsync(tracks.attach(sessionId, said('a'), lines), { code: 'source_revalidation_failed' });
  t.is(registry.current(sessionId)?.label, 'Another label');
  registry.admitUpload(clip.source);
  hook.storing = async () => {
    hook.storing = async () => undefined;
    registry.admitRevision(sealWithSubtitles(clip.chain, [], new Map()).source);
  };
  await tracks.attach(sessionId, said('a'), lines);
  t.deepEqual(labelsOf(tracks), ['a']);
});

test('a source that is deleted while a file waits for it takes none', async (t) => {
  const { ledger, tracks, registry, mutex } = await open(t);
  let end = (): void => undefined;
  const deleting = mutex.take(sessionId, () => new Promise<void>((resolve) => (end = resolve)));
  const attaching = tracks.attach(sessionId, said('a'), lines);
  const checked = mutex.take('subtitle-check', async () => undefined);
  await checked;
  await ledger.commit(registry.remove(sessionId));
  end();
  await deleting;
  await t.throwsAsync(attaching, { code: 'unknown_source_session' });
  await t.throwsAsync(tracks.detach(sessionId, '4'), { code: 'unknown_source_session' });
});
