import type { StudyHost } from '../../../client/study-host.ts';
import { size } from '../words/sizes.ts';
import { type Check, equal, unchecked } from './check.ts';
import { hexOf, sha256 } from './digests.ts';

/** Web Crypto digests only what is in memory as a whole. */
const mostBytes = 512 * 1024 * 1024;

/** Fetches the media of a study and digests it. */
export async function mediaChecks(host: StudyHost, runtimeId: string): Promise<readonly Check[]> {
  const what = 'Media against its content id';
  const { url, grant } = await host.playbackUrl(runtimeId);
  const { bytes, contentId } = grant.source;
  if (bytes > mostBytes)
    return [
      unchecked(what, `${size(bytes)} are more than a page digests at once; the host digests them at every grant`),
    ];
  const answer = await fetch(url);
  if (!answer.ok) return [unchecked(what, `the host did not hand the media out (${answer.status})`)];
  const digest = hexOf(await sha256(await answer.arrayBuffer()));
  return [equal(what, `sha256:${digest}`, contentId, `SHA-256 of all ${size(bytes)} of the source`)];
}
