import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { RunningHost } from '../../http/running-host.ts';

const captions = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

/** A host with a study that was approved and captioned and one that waits for its review. */
export async function seededHost(flags: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'browser-'));
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, 'data'), ...captions, ...flags] });
  const announced = await host.announced();
  const client = StudyHost.connect(JSON.stringify(announced));
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no sample');
  const studied = async (endMs: number): Promise<string> => {
    const range = { startMs: 0, endMs };
    const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko'), range };
    return (await client.study(source, asked).ended()).runtimeId;
  };
  const captioned = await studied(50_000);
  const waiting = await studied(12_000);
  const { reviewer } = await client.reviews.decisions(captioned);
  await client.reviews.decide(
    captioned,
    {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
    { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation },
  );
  await client.captions.produce(captioned);
  await client.captions.checked(captioned);
  return {
    announced,
    address: String(announced.console),
    source,
    captioned,
    waiting,
    close: async () => {
      await host.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
