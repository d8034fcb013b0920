import { useEffect, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import type { LibrarySource } from '../../contract/library.ts';
import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { MediaProbeTrack } from '../../contract/sources/media-probe.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAfterMoves } from '../host/streams.ts';
import { useAction, useEvery, useRemote, useStore } from '../host/use-remote.ts';
import { Badge, Facts, Identity } from '../parts/facts.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { Picture } from '../pictures/filmstrip.tsx';
import { languageName, languageOfName, plainTag } from '../words/language-name.ts';
import { counted, size, wholeSeconds } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { AddFile, AddVideo } from './add-source.tsx';
import { FirstSteps } from './first-steps.tsx';
import { IngestList, isOfIngest } from './ingest-list.tsx';
import {
  type Additions,
  fittingSources,
  groupNames,
  groups,
  isGroup,
  isSort,
  nextOf,
  shownStudy,
  sorts,
  sourceState,
} from './library-model.ts';
import { SearchResults } from './search-results.tsx';
import { AttachedSubtitles } from './subtitles.tsx';
import { uploads, videoIngests } from './uploads.ts';

interface Poster {
  readonly runtimeId: string;
  readonly fact: KeyframeFact;
}

/** The number of newest studies of a source that the page searches for a picture. */
const askedStudies = 3;

/** The first keyframe of the newest study of a source that has any; null where no study has looked at its pictures. */
async function readPoster(host: StudyHost, sourceSessionId: string): Promise<Poster | null> {
  const { runtimes } = await host.runtimes({ sourceSessionId, limit: askedStudies });
  for (const { runtimeId } of runtimes) {
    const [fact] = await host.evidenceObjects.keyframes(runtimeId);
    if (fact !== undefined) return { runtimeId, fact };
  }
  return null;
}

/** A picture of a source once its row is visible; an empty frame without one. */
function PosterFrame({ sourceSessionId, icon }: { readonly sourceSessionId: string; readonly icon: IconName }) {
  const host = useHost();
  const place = useRef<HTMLSpanElement>(null);
  const [poster, setPoster] = useState<Poster | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const sight = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      sight.disconnect();
      readPoster(host, sourceSessionId).then(setPoster, () => undefined);
    });
    sight.observe(place.current);
    return () => sight.disconnect();
  }, [host, sourceSessionId]);
  return (
    <span ref={place} class="poster" aria-hidden="true">
      {poster === null && <Icon name={icon} />}
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

/** A field for another name of a source. */
function Rename({ source: { sourceSessionId, label }, onChanged }: SourceDetailsProps) {
  const host = useHost();
  const { action, run } = useAction();
  const [name, setName] = useState(label);
  const given = name.trim();
  const rename = (event: Event) => {
    event.preventDefault();
    if (given === '' || given === label) return;
    run(async () => {
      await host.library.rename(sourceSessionId, given);
      onChanged();
    });
  };
  return (
    <form class="row-form" onSubmit={rename}>
      <TextField label="Name" value={name} onValue={setName} />
      <button type="submit" disabled={given === '' || given === label || action.state === 'busy'}>
        Rename
      </button>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}

interface SourceDetailsProps {
  readonly source: LibrarySource;
  /** Called when the source has a new revision. */
  readonly onChanged: () => void;
}

const rights: Readonly<Record<LibrarySource['rightsScope'], string>> = {
  local_processing: 'processing on this machine',
  redistribution: 'redistribution',
};

/** The tracks of a source as they were measured, its subtitle files, and what the source is known by. */
function SourceDetails({ source, onChanged }: SourceDetailsProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.mediaProbe(source.sourceSessionId), [host, source.sourceSessionId]);
  return (
    <div class="row-details">
      <Rename source={source} onChanged={onChanged} />
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
            <details>
              <summary>Technical</summary>
              <Facts
                of={[
                  ['Container', container],
                  ['Size', size(input.bytes)],
                  ['Rights', rights[source.rightsScope]],
                  [
                    'Language evidence',
                    source.detectedLanguageEvidenceAvailable ? 'came with the source' : 'did not come with the source',
                  ],
                  ['Bytes', <Identity id={source.sourceContentId} />],
                  ['Session', <Identity id={source.sourceSessionId} />],
                  ['Revision', <Identity id={source.sourceRevisionId} />],
                ]}
              />
            </details>
          </>
        )}
      </RemotePart>
    </div>
  );
}

interface SourceRowProps {
  readonly source: LibrarySource;
  readonly isOpen: boolean;
  /** True if the address names it: the page leads there. */
  readonly isWanted: boolean;
  readonly onChanged: () => void;
  readonly onToggle: () => void;
}

function SourceRow({ source, isOpen, isWanted, onChanged, onToggle }: SourceRowProps) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) row.current?.scrollIntoView();
  }, [isWanted]);
  const { sourceSessionId, label, durationMs, languages, tracks, studies, newest } = source;
  const { tone, words, why, group } = sourceState(source);
  const study = shownStudy(source);
  const { words: action, pane } = nextOf(study);
  const newStudy = addressOf({ view: 'new-study', sourceSessionId });
  const next =
    study === null || pane === null ? newStudy : addressOf({ view: 'study', runtimeId: study.runtimeId, pane });
  const opens = study === null ? newStudy : addressOf({ view: 'study', runtimeId: study.runtimeId, pane: 'evidence' });
  return (
    <li ref={row} class="row source">
      <PosterFrame
        key={newest?.runtimeId ?? ''}
        sourceSessionId={sourceSessionId}
        icon={tracks.includes('video') ? 'film' : 'audio-lines'}
      />
      <div class="row-main">
        <p class="row-title" lang={languageOfName(label)}>
          <a href={opens}>{label}</a>
        </p>
        <p class="quiet">
          {[
            wholeSeconds(durationMs),
            ...(tracks.includes('video') ? [] : ['sound']),
            ...[...new Set(languages.map(plainTag))].map(languageName),
          ].join(' · ')}
        </p>
        <p class="source-state">
          <Badge state="" words={words} tone={tone} isFilled={tone !== 'quiet'} />
          {why !== null && <span class="quiet">{sentence(why)}</span>}
        </p>
      </div>
      <div class="row-actions">
        <a class={group === 'yours' || study === null ? 'button primary' : 'button'} href={next}>
          {action}
          <span class="sr"> for {label}</span>
        </a>
        <Menu label={`More for ${label}`}>
          {study !== null && (
            <a href={newStudy}>
              New study<span class="sr"> of {label}</span>
            </a>
          )}
          {studies > 1 && (
            <a href={addressOf({ view: 'studies', source: sourceSessionId, lifecycle: null })}>
              All {studies} studies<span class="sr"> of {label}</span>
            </a>
          )}
          <button type="button" aria-expanded={isOpen} onClick={onToggle}>
            Details<span class="sr"> of {label}</span>
          </button>
        </Menu>
      </div>
      {isOpen && <SourceDetails source={source} onChanged={onChanged} />}
    </li>
  );
}

/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;
/** The time until the next request, while the host is still reading. */
const soonMs = 200;
/** So many rows are drawn at first; a person who wants more asks for them. */
const drawnRows = 60;

/** The number of newest ingests of each kind that are read for the times of sources; older sources come after theirs. */
const readIngests = 100;

interface Use {
  /** True if anybody has added or studied something on this host: a new one has only what came with it. */
  readonly isUsed: boolean;
  readonly added: Additions;
}

async function readUse(host: StudyHost): Promise<Use> {
  const [studies, files, videos] = await Promise.all([
    host.runtimes({ limit: 1 }),
    host.ownedIngests({ limit: readIngests }),
    videoIngests(host, readIngests),
  ]);
  const ingests = [...files.ingests, ...videos];
  const added = ingests.flatMap(({ source, openedAt }) =>
    source === null ? [] : [[source.sourceSessionId, openedAt] as const],
  );
  return { isUsed: studies.runtimes.length + ingests.length > 0, added: new Map(added) };
}

const isOfLibrary = (moved: StreamedTransition): boolean =>
  isOfIngest(moved) || ['runtime', 'publish-review', 'caption-production'].includes(moved.kind);

interface Asked {
  readonly find: string;
  readonly show: string;
  readonly sort: string;
  /** The source whose details are open; empty for none. */
  readonly details: string;
}

/** The sources of the host, the search through their words, and the ways to add one. */
export function SourcesView(asked: Asked) {
  const host = useHost();
  const { remote, reload, poll } = useRemote(async () => {
    const [{ sources, isWhole }, use] = await Promise.all([host.library.list(), readUse(host)]);
    return { sources, isWhole, ...use };
  }, [host]);
  const isUploading = useStore(uploads, ({ running }) => running.length > 0);
  const ended = useStore(uploads, ({ ended }) => ended);
  useAfterMoves(host, reload, isOfLibrary);
  useEvery(remote.state === 'ready' && !remote.value.isWhole ? soonMs : everyMs, true, poll);
  if (remote.state === 'ready' && !remote.value.isUsed && !isUploading && asked.details === '') {
    return <FirstSteps samples={remote.value.sources} />;
  }
  return (
    <div class="page">
      <h1>Library</h1>
      <div class="split library">
        {remote.state !== 'loading' && (
          <aside aria-label="Add media">
            <AddFile />
            <details class="panel">
              <summary>Or give the address of a video</summary>
              <AddVideo />
            </details>
            <IngestList key={ended} />
          </aside>
        )}
        <section aria-label="Sources">
          <Finder {...asked} />
          <RemotePart of={remote} what="the library" onRetry={reload}>
            {({ sources, added }) =>
              sources.length === 0 ? (
                <Notice kind="empty" icon="film" title="Nothing to study yet">
                  Drop files on this page, or give the address of a video.
                </Notice>
              ) : (
                <SourceTable sources={sources} added={added} asked={asked} onChanged={reload} />
              )
            }
          </RemotePart>
          {asked.find.trim() !== '' && <SearchResults find={asked.find} />}
        </section>
      </div>
    </div>
  );
}

/** The address of the list with something else asked for; what is usual is left out. */
function go(asked: Asked, change: Partial<Asked>): void {
  const address = addressOf({ view: 'sources', ...asked, ...change });
  // Each letter of a search in the place of the one before: Back leaves the search.
  history.replaceState(null, '', address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function Finder(asked: Asked) {
  const { find, show, sort } = asked;
  return (
    <search class="finder">
      <label class="find">
        <Icon name="search" />
        <span class="sr">Search names, subtitles, speech and text on the screen</span>
        <input
          type="search"
          placeholder="Search names and words"
          value={find}
          onInput={({ currentTarget }) => go(asked, { find: currentTarget.value })}
        />
      </label>
      <Field label="Show">
        {(id) => (
          <select
            id={id}
            value={isGroup(show) ? show : ''}
            onChange={({ currentTarget }) => go(asked, { show: currentTarget.value })}
          >
            <option value="">Everything</option>
            {groups.map((group) => (
              <option key={group} value={group}>
                {groupNames[group]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Order">
        {(id) => (
          <select
            id={id}
            value={isSort(sort) ? sort : 'newest'}
            onChange={({ currentTarget }) => go(asked, { sort: currentTarget.value })}
          >
            {Object.entries(sorts).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </search>
  );
}

interface SourceTableProps {
  readonly sources: readonly LibrarySource[];
  readonly added: Additions;
  readonly asked: Asked;
  /** Called when a source has another name or revision. */
  readonly onChanged: () => void;
}

function SourceTable({ sources, added, asked, onChanged }: SourceTableProps) {
  const [open, setOpen] = useState<string | null>(asked.details === '' ? null : asked.details);
  const fitting = fittingSources(sources, asked, added);
  const wanted = fitting.findIndex(({ sourceSessionId }) => sourceSessionId === asked.details);
  const [drawn, setDrawn] = useState(Math.max(drawnRows, wanted + 1));
  const isAsked = asked.find.trim() !== '' || asked.show !== '';
  if (fitting.length === 0) {
    return asked.find.trim() === '' ? (
      <Notice kind="empty" title="No source is in this state">
        <button type="button" onClick={() => go(asked, { show: '' })}>
          Show everything
        </button>
      </Notice>
    ) : (
      <p class="quiet">No source name contains this.</p>
    );
  }
  return (
    <>
      <ul class="rows">
        {fitting.slice(0, drawn).map((source) => (
          <SourceRow
            key={source.sourceSessionId}
            source={source}
            isOpen={open === source.sourceSessionId}
            isWanted={asked.details === source.sourceSessionId}
            onChanged={onChanged}
            onToggle={() => setOpen(open === source.sourceSessionId ? null : source.sourceSessionId)}
          />
        ))}
      </ul>
      {(isAsked || fitting.length > drawn) && (
        <p class="quiet">
          {Math.min(drawn, fitting.length).toLocaleString('en')} of{' '}
          {counted(isAsked ? sources.length : fitting.length, 'source')}
        </p>
      )}
      {fitting.length > drawn && (
        <button type="button" onClick={() => setDrawn(drawn + drawnRows)}>
          Show more
        </button>
      )}
    </>
  );
}
