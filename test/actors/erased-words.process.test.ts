import test from 'ava';
import { spokenLanguage } from '../../client/studies.ts';
import { correctionAttestation } from '../../contract/captions/correction.ts';
import { madeMedia } from '../media/made-media.ts';
import { drawn, quickH264 } from '../media/recipes.ts';
import { holdersOf } from '../storage/ledger/readable.ts';
import { approveCaptions, followed, newRoot, openClientHost } from './client-host.ts';

const reviewerId = 'reviewer:local-operator';
const flags = ['--caption-executor=embedded-subtitles', '--allow-embedded-subtitle-captions'];

const srt = (text: string): string => `1\n00:00:00,500 --> 00:00:03,500\n${text}\n`;

/** Everything in which a person or a film put words into a data root, each a word that nothing else has. */
const words = {
  source: 'Quellwortalpha',
  target: 'Zielwortbeta',
  correction: 'Korrekturgamma',
  note: 'Notizdelta',
  label: 'Titelepsilon',
  renamed: 'Umbenanntzeta',
  rightsHolder: 'Rechteeta',
  filename: 'dateitheta',
} as const;

/** A film of four seconds with subtitles in two languages. */
const film = {
  words: [
    ...drawn('testsrc=s=64x48:r=10:d=4'),
    ...drawn('sine=440:d=4'),
    ...['-i', 'source.srt', '-i', 'target.srt', '-map', '0', '-map', '1', '-map', '2', '-map', '3'],
    ...['-metadata:s:s:0', 'language=kor', '-metadata:s:s:1', 'language=eng'],
    ...[...quickH264, '-c:a', 'aac', '-c:s', 'srt'],
  ],
  extension: 'mkv',
  inputs: { 'source.srt': srt(`${words.source} one.`), 'target.srt': srt(`${words.target} two.`) },
};

/** A study with captions, a correction and a copy of the ledger. */
async function studiedFilm(client: Awaited<ReturnType<typeof openClientHost>>['client']) {
  const source = await client.ingestFile(await madeMedia(film), {
    label: words.label,
    rightsHolder: words.rightsHolder,
    filename: `${words.filename}.mkv`,
    ownershipAttested: true,
  });
  await client.library.rename(source.sourceSessionId, words.renamed);
  const study = client.study(source, {
    range: { startMs: 0, endMs: 4000 },
    requestedSourceLanguage: spokenLanguage('ko'),
    targetLanguage: 'en',
  });
  const { runtimeId } = await study.started;
  await followed(client, runtimeId);
  await approveCaptions(client, runtimeId);
  await client.captions.produce(runtimeId);
  await client.captions.checked(runtimeId);
  const { lines } = await client.captions.corrections(runtimeId);
  const [line] = lines;
  if (line === undefined) throw new Error('the film has no captions');
  await client.captions.correct(
    runtimeId,
    {
      changes: [
        { lineIds: [line.id], lines: [{ startMs: line.startMs, endMs: line.endMs, target: words.correction }] },
      ],
    },
    { by: { reviewerId, attestation: correctionAttestation }, note: words.note },
  );
  await client.snapshotLedger();
  return { runtimeId, sourceSessionId: source.sourceSessionId };
}

test('bug: words of a deleted study, its corrections and the rights holder stayed readable in the data root', async (t) => {
  const root = await newRoot(t);
  const before = await openClientHost(t, root, { flags });
  const { runtimeId, sourceSessionId } = await studiedFilm(before.client);
  const all = Object.values(words);
  t.deepEqual([...(await holdersOf(root, all)).keys()].sort(), [...all].sort(), 'each is in some file');
  await before.client.deletions.runtime(runtimeId);
  await before.client.deletions.source(sourceSessionId);
  await before.client.deletions.collect({ dryRun: false });
  const places = [...(await holdersOf(root, all)).values()].flat();
  t.deepEqual(
    places.filter((path) => !path.startsWith('objects/')),
    [],
    'what is left at first are stored files that are too young',
  );
  await before.host.stop();
  // After a start no work is about to need what was just stored.
  const after = await openClientHost(t, root, { flags });
  await after.client.deletions.collect({ dryRun: false });
  const holders = await holdersOf(root, all);
  t.deepEqual(Object.fromEntries(holders), {}, 'no file of the data root holds a word of it');
  t.is((await after.client.deletions.list()).deletions.length, 2, 'the receipts stay');
  await after.host.stop();
});
