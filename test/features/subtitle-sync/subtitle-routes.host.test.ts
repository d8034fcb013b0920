import test from 'ava';
import { derivedStatement } from '../../../contract/sources/derived-subtitles.ts';
import { subtitleFixProposal } from '../../../contract/sources/subtitle-fix.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { TestHost } from '../../host/test-host.ts';
import { openCaptioned, pathOf } from '../../http/captions/steps.ts';
import { octets } from '../../http/host/ingest-steps.ts';
import { heldStudy } from '../../http/host/study-steps.ts';

// The paths that compare subtitles and scripts with the speech of a study, and what they refuse.

const subRip = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nGood evening.\n');
const attested = (digest: string, others: Record<string, string> = {}): string =>
  new URLSearchParams({
    digest,
    reviewerId: 'reviewer:local-operator',
    attestation: derivedStatement,
    ...others,
  }).toString();

test('a fix that nobody was shown is refused', async (t) => {
  const { host, study } = await openCaptioned(t);
  const file = { body: subRip, headers: octets };
  const proposed = await host.ask('POST', `${pathOf(study.runtimeId, 'subtitle-fix-proposals')}?label=File`, file);
  const other = contentIdOfBytes(subRip);
  t.not(host.granted(t, proposed, 200, subtitleFixProposal).digest, other);
  const fix = (query: string) => host.ask('POST', `${pathOf(study.runtimeId, 'subtitle-fixes')}?${query}`, file);
  const rights = { label: 'File', rightsHolder: 'Me', rightsScope: 'local_processing', ownershipAttested: 'true' };
  host.refused(t, await fix(attested(other, rights)), 'subtitle_fix_mismatch');
  const another = attested(other, { ...rights, reviewerId: 'another' });
  host.refused(t, await fix(another), 'reviewer_identity_mismatch');
  host.refused(t, await fix(`track=99&${attested(other)}`), 'unknown_subtitle_track');
  host.refused(t, await fix('label=File'), 'invalid_subtitle_request');
});

test('a script that says nothing, or is no script, is refused', async (t) => {
  const { host, study } = await openCaptioned(t);
  const path = `${pathOf(study.runtimeId, 'script-alignment-proposals')}?label=Script&language=en`;
  for (const body of [subRip, Buffer.from('(A door.)\n'), Buffer.from('%PDF-1.7\n')]) {
    host.refused(t, await host.ask('POST', path, { body, headers: octets }), 'invalid_script');
  }
});

test('subtitles of a study that knows no speech yet are compared with nothing', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const { runtimeId } = await heldStudy(t, host, 1800);
  const path = `${pathOf(runtimeId, 'subtitle-fix-proposals')}?label=File`;
  host.refused(t, await host.ask('POST', path, { body: subRip, headers: octets }), 'subtitle_sync_unavailable');
});
