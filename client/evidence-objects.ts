import type { KeyframeFact } from '../contract/evidence/evidence-object.ts';
import type { FurtherKind } from '../contract/evidence/further-evidence.ts';
import type { RuntimeEvidence } from '../contract/study/runtime-evidence.ts';
import { pathOf, type Transport } from './transport.ts';
import { type Waveform, waveformOf } from './waveform.ts';

/** What the facts of a study name beside themselves: pictures and measurements, each an object of its own. */
export class EvidenceObjects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The bytes of an object under the content id that a fact has, of the media type that the host says. */
  async read(runtimeId: string, contentId: string, signal?: AbortSignal): Promise<Blob> {
    const path = pathOf`/v1/runtimes/${runtimeId}/evidence/objects/${contentId}`;
    const answer = await this.#transport.answer(path, { accept: '*/*', signal });
    return answer.blob();
  }

  /** The keyframes of a study in the order of time; none where it has no pictures. `read` gives the JPEG of each. */
  async keyframes(runtimeId: string, signal?: AbortSignal): Promise<readonly KeyframeFact[]> {
    const facts = await this.#factsOf(runtimeId, 'keyframes', signal);
    return facts.filter((fact) => fact.kind === 'keyframe');
  }

  /** The waveform of a study; null where it has no sound. */
  async waveform(runtimeId: string, signal?: AbortSignal): Promise<Waveform | null> {
    const fact = (await this.#factsOf(runtimeId, 'waveform', signal)).find(({ kind }) => kind === 'waveform');
    if (fact?.kind !== 'waveform') return null;
    const object = await this.read(runtimeId, fact.contentId, signal);
    return waveformOf(fact.startMs, await object.arrayBuffer());
  }

  async #factsOf(runtimeId: string, kind: FurtherKind, signal?: AbortSignal) {
    const path = pathOf`/v1/runtimes/${runtimeId}/evidence`;
    const { evidence } = await this.#transport.json<RuntimeEvidence>(`${path}?kind=${kind}`, { signal });
    return evidence.flatMap((row): Facts => row.facts);
  }
}

type Facts = RuntimeEvidence['evidence'][number]['facts'][number][];
