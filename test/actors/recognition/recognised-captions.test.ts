import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { HostError } from '../../../client/host-error.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { attestations } from '../../../contract/review/publish-review.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { openInProcess } from '../../crash/host-in-process.ts';

const recognising = ['--semantic-recognizer', 'pocketsphinx', '--allow-real-semantic-evidence'];
const captioning = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
const approval = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
} as const;
const by = { reviewerId: 'reviewer:local-operator', attestation: attestations.decision };

test('speech that pocketsphinx recognised becomes captions that keep the guidelines, cite their lines and verify', async (t) => {
  t.timeout(180_000, 'a recogniser on a busy machine');
  const root = await mkdtemp(join(tmpdir(), 'recognised-captions-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const host = await openInProcess(t, root, { flags: [...recognising, ...captioning] });
  const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
  const client = StudyHost.connect({ baseUrl: listening, token });
  const source = await client.ingestFile(speechFile, { label: 's', rightsHolder: 'nobody', ownershipAttested: true });
  const approved = async (targetLanguage: string): Promise<string> => {
    const request = { targetLanguage, requestedSourceLanguage: spokenLanguage('en') };
    const { runtimeId } = await client.study(source, request).ended();
    await client.reviews.decide(runtimeId, approval, by);
    return runtimeId;
  };

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
  await checkRuntimes(t, root);
});
