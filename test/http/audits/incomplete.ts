import test from 'ava';
import { mediaProbe } from '../../../contract/sources/media-probe.ts';
import type { HostContract } from '../host/contract.ts';
import { ingest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, plans, startStudy, studyRequest } from '../host/study-steps.ts';
import { concluded } from './steps.ts';

const probeOf = (sourceSessionId: string): string => `/v1/source-sessions/${sourceSessionId}/media-probe`;

/** What can be read of media that is not what its container states. */
export function incomplete(contract: HostContract): void {
  test.serial(
    contract.title('a recording cut at 90 percent is studied as far as it goes, and probe and evidence say so'),
    async (t) => {
      const media = humWav(70, 4000);
      const cut = media.subarray(0, Math.floor(media.length * 0.9));
      const { status, source } = await ingest(t, contract, cut, { label: 'A crash' });
      t.is(status, 'registered');
      if (source === null) throw new Error('a registered ingest has a source');
      const { durationMs } = source;
      t.true(durationMs > 3500 && durationMs < 3700, String(durationMs));

      const probe = contract.granted(t, await contract.get(probeOf(source.sourceSessionId)), 200, mediaProbe);
      t.is(probe.incomplete_media?.cause, 'ends_early');
      t.is(probe.incomplete_media?.measured, durationMs / 1000);
      const statedMs = Math.round((probe.incomplete_media?.stated ?? 0) * 1000);
      t.true(Math.abs(statedMs - 4000) <= 2, String(statedMs));

      const beyond = studyRequest(source, { range: { startMs: 0, endMs: durationMs + 1 } });
      contract.refused(t, await contract.post(plans, beyond), 'invalid_analysis_request');
      const request = studyRequest(source, { range: { startMs: 0, endMs: durationMs } });
      const { runtimeId } = await startStudy(t, contract, request);
      t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
      const { evidence } = (await concluded(t, contract, runtimeId)).evidence;
      const available = evidence.filter(({ state }) => state === 'available');
      t.true(available.some(({ kind }) => kind === 'loudness'));
      const note = { incompleteMedia: 'ends_early', statedMs, measuredMs: durationMs };
      for (const { parameters } of available) t.like(parameters, note);
    },
  );

  test.serial(contract.title('the probe record of a source that is not listed is unknown'), async (t) => {
    contract.refused(t, await contract.get(probeOf('source-session:none')), 'unknown_source_session');
  });
}
