import { createStore } from '@xstate/store';
import type { StudyHost } from '../../../client/study-host.ts';
import type { VideohostIngestRow } from '../../../contract/ingest.ts';
import { failureWords } from '../words/failure.ts';

/** Why this host fetches nothing from video hosts, once it has said so; null before that, and where it does. */
export const videoHosts = createStore({
  context: { whyOff: null as string | null },
  on: { refused: (_, { whyOff }: { whyOff: string }) => ({ whyOff }) },
});

/** The newest ingests from video hosts. A host that has said that it fetches none is not asked again. */
export async function videoIngests(host: StudyHost, limit: number): Promise<readonly VideohostIngestRow[]> {
  if (videoHosts.getSnapshot().context.whyOff !== null) return [];
  try {
    return (await host.videohostIngests({ limit })).ingests;
  } catch (error) {
    const { what, code } = failureWords(error);
    if (code !== 'videohost_local_ingest_unavailable') throw error;
    videoHosts.send({ type: 'refused', whyOff: what });
    return [];
  }
}
