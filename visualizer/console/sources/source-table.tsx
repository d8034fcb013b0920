import { useState } from 'preact/hooks';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import { addressOf } from '../host/route.ts';
import { duration } from '../words/time-code.ts';
import { PosterFrame } from './poster.tsx';
import { SourceDetails } from './source-details.tsx';

const kinds: Readonly<Record<SourceSessionRow['sourceKind'], string>> = {
  owned_local: 'file',
  videohost_local: 'video host',
};

const rights: Readonly<Record<SourceSessionRow['rightsScope'], string>> = {
  local_processing: 'processing on this machine',
  redistribution: 'redistribution',
};

interface SourceTableProps {
  readonly sources: readonly SourceSessionRow[];
  /** Called when a source has a new revision. */
  readonly onChanged: () => void;
}

export function SourceTable({ sources, onChanged }: SourceTableProps) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <ul class="rows">
      {sources.map((source) => (
        <SourceRow
          key={source.sourceSessionId}
          source={source}
          isOpen={open === source.sourceSessionId}
          onChanged={onChanged}
          onToggle={() => setOpen(open === source.sourceSessionId ? null : source.sourceSessionId)}
        />
      ))}
    </ul>
  );
}

interface SourceRowProps {
  readonly source: SourceSessionRow;
  readonly isOpen: boolean;
  readonly onChanged: () => void;
  readonly onToggle: () => void;
}

function SourceRow({ source, isOpen, onChanged, onToggle }: SourceRowProps) {
  const { sourceSessionId, label, sourceKind, durationMs, trackCount, rightsScope } = source;
  return (
    <li class="row">
      <PosterFrame sourceSessionId={sourceSessionId} />
      <div class="row-main">
        <p class="row-title">{label}</p>
        <p class="quiet">
          {duration(durationMs)} · {trackCount} {trackCount === 1 ? 'track' : 'tracks'} · {kinds[sourceKind]} · rights:{' '}
          {rights[rightsScope]}
        </p>
      </div>
      <div class="row-deeds">
        <a class="button primary" href={addressOf({ view: 'new-study', sourceSessionId })}>
          Study<span class="sr"> {label}</span>
        </a>
        <a class="button" href={addressOf({ view: 'studies', source: sourceSessionId, lifecycle: null })}>
          Its studies<span class="sr"> of {label}</span>
        </a>
        <button type="button" aria-expanded={isOpen} onClick={onToggle}>
          Details<span class="sr"> of {label}</span>
        </button>
      </div>
      {isOpen && <SourceDetails source={source} onChanged={onChanged} />}
    </li>
  );
}
