import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { HostError } from '../../../client/host-error.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { attestations } from '../../../contract/review/publish-review.ts';
import { refuses, StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { translates } from '../../../fixtures/hosted-model/stub-translator.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { openInProcess } from '../../host/host-in-process.ts';
import { ffmpeg } from '../../executors/evidence/media-for-tests.ts';
import { hasPocketsphinx } from '../../executors/recognition/pocketsphinx-of-machine.ts';

const withPocketsphinx = hasPocketsphinx ? test.serial : test.skip;

const recognising = ['--semantic-recognizer', 'pocketsphinx', '--allow-real-semantic-evidence'];
const captioning = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
const approval = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
} as const;
const by = { reviewerId: 'reviewer:local-operator', attestation: attestations.decision };

const folder = mkdtemp(join(tmpdir(), 'recognised-captions-'));
test.after.always(async () => rm(await folder, { recursive: true, force: true }));

/** A host on the data root of this file, and what has studies of the speech fixture approved there. */
async function hostWith(t: ExecutionContext, executor: readonly string[], baseUrl = '') {
  const environment = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: '' };
  const host = await openInProcess(t, await folder, { flags: [...recognising, ...executor], environment });
  const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
  const client = StudyHost.connect({ baseUrl: listening, token });
  const sourceOf = async (label: string, file: string) => {
    const known = (await client.sources()).find((source) => source.label === label);
    return known ?? client.ingestFile(file, { label, rightsHolder: 'nobody', ownershipAttested: true });
  };
  const approved = async (targetLanguage: string, file = speechFile): Promise<string> => {
    const source = await sourceOf(basename(file), file);
    const request = { targetLanguage, requestedSourceLanguage: spokenLanguage('en') };
    const { runtimeId } = await client.study(source, request).ended();
    await client.reviews.decide(runtimeId, approval, by);
    return runtimeId;
  };
  return { host, client, approved };
}

withPocketsphinx(
  'speech that pocketsphinx recognised becomes captions that keep the guidelines, cite their lines and verify',
  async (t) => {
    const { host, client, approved } = await hostWith(t, captioning);
    const runtimeId = await approved('en');
    const [production] = (await client.captions.produce(runtimeId)).captions;
    t.like(production?.result, { status: 'completed', withheldCount: 0, unavailableCount: 0 });
    const [transcript] = (await client.evidence(runtimeId, 'transcript')).evidence;
    t.like(production?.executor, {
      classification: 'recognised_transcript',
      recognizer: 'pocketsphinx',
      translator: 'same-language',
      sourceCaptionContentId: transcript?.contentId ?? '',
    });
    const [result] = (await client.captions.results(runtimeId)).results;
    const artifact = result?.artifact;
    if (artifact?.schema !== 'studio.caption-production.artifact.v6') throw new Error('captions of a transcript');
    t.deepEqual(artifact.transcript, { artifactId: transcript?.artifactId, contentId: transcript?.contentId });
    const recognised = (transcript?.facts ?? []).flatMap((fact) =>
      fact.kind === 'transcript_line' && fact.outcome === 'passed' ? [fact] : [],
    );
    const shown = artifact.lines.map(({ target }) => target.text?.replaceAll('\n', ' ')).join(' ');
    t.is(shown, recognised.map(({ text }) => text).join(' '));
    for (const { source: said, target, transcriptLines } of artifact.lines) {
      t.is(said.text, target.text);
      const cited = recognised.filter(({ index }) => transcriptLines.includes(index)).map(({ text }) => text);
      t.is(cited.length, transcriptLines.length);
      t.true(cited.join(' ').includes(target.text?.replaceAll('\n', ' ') ?? ''));
    }
    const { reports } = await client.captions.qualityReports(runtimeId);
    t.is(reports.length, 4);
    t.deepEqual(
      reports.flatMap(({ findings }) => findings),
      [],
    );
    const [check] = (await client.captions.qualityControls(runtimeId)).qualityControls;
    t.is(check?.outcome, 'accepted');
    t.true(((await client.captions.webvtt(runtimeId, 'target')).match(/-->/g)?.length ?? 0) >= utterances.length);

    // What nobody translates is refused before it uses up the approval.
    const other = await approved('ko');
    const { journalHead } = await client.status(other);
    const refused = await t.throwsAsync(client.captions.produce(other), { instanceOf: HostError });
    t.regex(refused.message, /no_translator: the executor does not translate from en to ko/);
    t.is((await client.status(other)).journalHead, journalHead);
    await host.stop();
    await checkRuntimes(t, await folder);
  },
);

const translating = [
  ...['--caption-executor', 'recognized-translated', '--allow-real-caption-production'],
  ...['--caption-translation-model', 'stub'],
];

withPocketsphinx('recognised lines are translated by a model, and none that fails a gate is handed out', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  const { host, client, approved } = await hostWith(t, translating, provider.baseUrl);
  const runtimeId = await approved('de');
  provider.behaviour = refuses(503);
  const failed = await t.throwsAsync(client.captions.produce(runtimeId), { instanceOf: HostError });
  t.is(failed.code, 'caption_translation_failed');
  t.is(provider.asked.length, 1);

  // The approval is still free, and the first line comes back in French: in the batch, alone, and when all are asked a second time.
  const french = 'Nous devons rentrer les cartons dans la maison avant la pluie.';
  provider.behaviour = translates((line, id) => (id.endsWith('001') ? { ...line, translation: french } : line));
  const [production] = (await client.captions.produce(runtimeId)).captions;
  const count = production?.result.lineCount ?? 0;
  t.like(production?.result, { status: 'partial', sourceAvailableCount: count, withheldCount: 1 });
  t.is(provider.asked.length, 1 + 1 + 2 * count);
  const [artifact] = (await client.captions.results(runtimeId)).results.map((result) => result.artifact);
  t.like(artifact?.lines[0]?.target, { state: 'withheld', reasonCode: 'language_mismatch' });
  t.is(
    artifact?.lines.at(-1)?.target.text?.replace('\n', ' '),
    'Es gibt viele Gründe, warum Menschen in große Städte ziehen.',
  );
  const { events } = await client.events(runtimeId);
  const completed = events.find(({ type }) => type === 'caption.production_completed');
  if (completed?.type !== 'caption.production_completed') throw new Error('captions were made');
  const { receipt } = completed.data;
  if (receipt.schema !== 'studio.caption-production.receipt.v2') throw new Error('a model was asked');
  t.deepEqual(receipt.nonClaims, ['translation_meaning_not_assessed']);
  t.like(receipt.translation, { asks: 1 + 2 * count, failedAsks: 0, models: ['stub'] });
  t.deepEqual(new Set(receipt.translation?.attempts.map(({ asks }) => asks)), new Set([3]));
  const [check] = (await client.captions.qualityControls(runtimeId)).qualityControls;
  t.deepEqual(check?.reasonCodes as string[], ['current_run_candidate_accepted_in_part']);
  const handedOut = await client.captions.webvtt(runtimeId, 'target');
  t.is(handedOut.match(/-->/g)?.length, count - 1);
  t.notRegex(handedOut, /Nous devons/);
  await host.stop();
  await checkRuntimes(t, await folder);
});

withPocketsphinx(
  'speech in a recording of more than 120 s is translated, and what was asked is stored in parts',
  async (t) => {
    const provider = await StubProvider.start();
    t.teardown(() => provider.close());
    const recording = join(await folder, 'recording.m4a');
    await ffmpeg(await folder, '-i', speechFile, '-af', 'apad=whole_dur=125', recording);
    const { host, client, approved } = await hostWith(
      t,
      [...translating, '--maximum-caption-range-ms', '600000'],
      provider.baseUrl,
    );
    const runtimeId = await approved('de', recording);
    provider.behaviour = translates();
    const [production] = (await client.captions.produce(runtimeId)).captions;
    t.is(production?.result.status, 'completed');
    const { events } = await client.events(runtimeId);
    const completed = events.find(({ type }) => type === 'caption.production_completed');
    if (completed?.type !== 'caption.production_completed') throw new Error('captions were made');
    const { receipt } = completed.data;
    if (receipt.schema !== 'studio.caption-production.receipt.v3') throw new Error('the captions are long');
    t.deepEqual(receipt.nonClaims, ['translation_meaning_not_assessed']);
    const [artifact] = (await client.captions.results(runtimeId)).results.map((result) => result.artifact);
    if (artifact?.schema !== 'studio.caption-production.artifact.v7') throw new Error('the captions are long');
    t.true(artifact.lines.every(({ transcriptLines = [] }) => transcriptLines.length > 0));
    const count = artifact.lines.length;
    t.like(receipt.translation, { asks: 1 + count, askedAgain: count, models: ['stub'] });
    await host.stop();
    await checkRuntimes(t, await folder);
  },
);
