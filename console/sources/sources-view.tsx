import { useEffect, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import type { MediaProbeTrack } from '../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAfterMoves } from '../host/streams.ts';
import { useEvery, useRemote, useStore } from '../host/use-remote.ts';
import { Facts, Identity } from '../parts/facts.tsx';
import { Notice, RemotePart } from '../parts/notice.tsx';
import { Picture } from '../pictures/filmstrip.tsx';
import { counted, duration, size } from '../words/numbers.ts';
import { AddFile, AddVideo } from './add-source.tsx';
import { FirstSteps } from './first-steps.tsx';
import { IngestList, isOfIngest } from './ingest-list.tsx';
import { AttachedSubtitles } from './subtitles.tsx';
import { uploads, videoIngests } from './uploads.ts';

interface Poster {
  readonly runtimeId: string;
  readonly fact: KeyframeFact;
}

/** Of the newest studies of a source so many are asked for a picture. */
const askedStudies = 3;

/** The first keyframe of the newest study of a source that has any; null where no study has looked at its pictures. */
async function posterOf(host: StudyHost, sourceSessionId: string): Promise<Poster | null> {
  const { runtimes } = await host.runtimes({ sourceSessionId, limit: askedStudies });
  for (const { runtimeId } of runtimes) {
    const [fact] = await host.evidenceObjects.keyframes(runtimeId);
    if (fact !== undefined) return { runtimeId, fact };
  }
  return null;
}

/** A picture of a source once its row is in sight; a plain place where there is none. */
function PosterFrame({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const place = useRef<HTMLSpanElement>(null);
  const [poster, setPoster] = useState<Poster | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const sight = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      sight.disconnect();
      posterOf(host, sourceSessionId).then(setPoster, () => undefined);
    });
    sight.observe(place.current);
    return () => sight.disconnect();
  }, [host, sourceSessionId]);
  return (
    <span ref={place} class="poster" aria-hidden="true">
      {poster !== null && <Picture runtimeId={poster.runtimeId} fact={poster.fact} alt="" />}
    </span>
  );
}

function trackWords(track: MediaProbeTrack): string {
  const said = track.language === undefined ? [] : [`tagged ${track.language}`];
  if (track.type === 'video' && track.width !== undefined)
    return [`${track.width} × ${track.height}`, ...said].join(', ');
  if (track.type === 'audio' && track.sample_rate !== undefined)
    return [`${track.sample_rate / 1000} kHz`, counted(track.channels ?? 0, 'channel'), ...said].join(', ');
  return said.join(', ');
}

interface SourceDetailsProps {
  readonly source: SourceSessionRow;
  /** Called when the source has a new revision. */
  readonly onChanged: () => void;
}

/** The tracks of a source as they were measured, its subtitle files, and what the source is known by. */
function SourceDetails({ source, onChanged }: SourceDetailsProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.mediaProbe(source.sourceSessionId), [host, source.sourceSessionId]);
  return (
    <div class="row-details">
      <RemotePart of={remote} what="the tracks" onRetry={reload}>
        {({ tracks, input, container_long_name: container }) => (
          <>
            <table>
              <caption>Tracks</caption>
              <thead>
                <tr>
                  <th scope="col">Track</th>
                  <th scope="col">Kind</th>
                  <th scope="col">Codec</th>
                  <th scope="col">Measures</th>
                </tr>
              </thead>
              <tbody>
                {tracks.map((track) => (
                  <tr key={track.index}>
                    <td>{track.index}</td>
                    <td>{track.type}</td>
                    <td>{track.codec}</td>
                    <td>{trackWords(track)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <AttachedSubtitles
              key={source.sourceRevisionId}
              sourceSessionId={source.sourceSessionId}
              onChanged={onChanged}
            />
            <Facts
              of={[
                ['Container', container],
                ['Size', size(input.bytes)],
                [
                  'Language evidence',
                  source.detectedLanguageEvidenceAvailable ? 'came with the source' : 'none came with it',
                ],
                ['Bytes', <Identity id={source.sourceContentId} />],
                ['Session', <Identity id={source.sourceSessionId} />],
                ['Revision', <Identity id={source.sourceRevisionId} />],
              ]}
            />
          </>
        )}
      </RemotePart>
    </div>
  );
}

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

function SourceTable({ sources, onChanged }: SourceTableProps) {
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

/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;

/** Whether anybody has added or studied something on this host: a new one has only what came with it. */
async function isInUse(host: StudyHost): Promise<boolean> {
  const [studies, files, videos] = await Promise.all([
    host.runtimes({ limit: 1 }),
    host.ownedIngests({ limit: 1 }),
    videoIngests(host, 1),
  ]);
  return studies.runtimes.length + files.ingests.length + videos.length > 0;
}

/** What can be studied, and how more of it gets here. */
export function SourcesView() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(async () => {
    const [sources, isUsed] = await Promise.all([host.sources(), isInUse(host)]);
    return { sources, isUsed };
  }, [host]);
  const isUploading = useStore(uploads, ({ running }) => running.length > 0);
  const ended = useStore(uploads, ({ ended }) => ended);
  useAfterMoves(host, reload, isOfIngest);
  useEvery(everyMs, true, poll);
  if (remote.state === 'ready' && !remote.value.isUsed && !isUploading) {
    return <FirstSteps samples={remote.value.sources} />;
  }
  return (
    <div class="page">
      <h1>Sources</h1>
      <div class="split">
        <section aria-labelledby="source-list">
          <h2 id="source-list">Media that can be studied</h2>
          <RemotePart of={remote} what="the sources" onRetry={reload}>
            {({ sources }) =>
              sources.length === 0 ? (
                <Notice kind="empty" title="There is no source yet">
                  Drop files on this page, or give the address of a video.
                </Notice>
              ) : (
                <SourceTable sources={sources} onChanged={reload} />
              )
            }
          </RemotePart>
          <IngestList key={ended} />
        </section>
        {remote.state !== 'loading' && (
          <aside aria-labelledby="add-media">
            <h2 id="add-media">Add media</h2>
            <AddFile />
            <AddVideo />
          </aside>
        )}
      </div>
    </div>
  );
}
