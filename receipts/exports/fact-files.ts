import { ServiceError } from '../../contract/base/errors.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { evidenceOf } from './exported-facts.ts';
import type { ExportedFile } from './exported-file.ts';
import { labelLineOf } from './label-track.ts';

/** A stretch of speech or silence, or a cut, where both ends are the same. */
interface TimedFact {
  readonly kind: 'speech' | 'silence' | 'cut';
  readonly startMs: number;
  readonly endMs: number;
  readonly contentId: string;
}

/** Speech, silence and cuts in order of time. Throws `export_unavailable` for a study that has evidence of none of them. */
function timedFacts(runtime: VerifiedRuntime): { facts: TimedFact[]; madeOf: string[] } {
  const kinds = ['speech_activity', 'silence', 'shot_changes'] as const;
  const found = kinds.flatMap((kind) => evidenceOf(runtime, kind) ?? []);
  if (found.length === 0) {
    throw new ServiceError('export_unavailable', 'the study has no evidence of speech, silence or cuts');
  }
  const facts = found.flatMap((evidence) =>
    evidence.facts.flatMap((fact): TimedFact[] => {
      const { contentId } = evidence;
      if (fact.kind === 'speech_window')
        return [{ kind: 'speech', startMs: fact.startMs, endMs: fact.endMs, contentId }];
      if (fact.kind === 'silence') return [{ kind: 'silence', startMs: fact.startMs, endMs: fact.endMs, contentId }];
      if (fact.kind === 'shot_change') return [{ kind: 'cut', startMs: fact.atMs, endMs: fact.atMs, contentId }];
      return [];
    }),
  );
  facts.sort((one, other) => one.startMs - other.startMs);
  return { facts, madeOf: found.map(({ contentId }) => contentId) };
}

/** Speech, silence and cuts as a label track of Audacity: start, end and name in tabs, in seconds. */
export function audacityLabels(runtime: VerifiedRuntime): ExportedFile {
  const { facts, madeOf } = timedFacts(runtime);
  return { text: facts.map((fact) => labelLineOf(fact, fact.kind)).join(''), madeOf };
}

/** The same as a table (RFC 4180), each fact with the evidence that it stands in. */
export function factTable(runtime: VerifiedRuntime): ExportedFile {
  const { facts, madeOf } = timedFacts(runtime);
  const rows = facts.map(({ kind, startMs, endMs, contentId }) => [kind, startMs, endMs, contentId].join(','));
  return { text: `${['kind,startMs,endMs,evidence', ...rows].join('\r\n')}\r\n`, madeOf };
}
