import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type {
  DiskUse,
  FilesAndBytes,
  GarbageCollection,
  RuntimeDiskUse,
  SourceDiskUse,
} from '../../contract/deletion.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAction, useRemote } from '../host/use-remote.ts';
import { Facts } from '../parts/facts.tsx';
import { TypedConfirmation } from '../parts/field.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { counted, rangeCode, size } from '../words/numbers.ts';

interface RowProps<Use> {
  readonly use: Use;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  /** Called once it is deleted. */
  readonly onGone: () => void;
  readonly erase: () => Promise<unknown>;
}

/** A source with what it takes. The host refuses to delete one that studies still need, and says so. */
const SourceUse = ({ use, ...row }: RowProps<SourceDiskUse>) => {
  const { label, media, own, evidence, shared, runtimes } = use;
  return (
    <UseRow
      {...row}
      title={label}
      words={`media ${size(media.bytes)}, evidence ${size(evidence.bytes)}, records ${size(own.bytes)} · ${runtimes} ${runtimes === 1 ? 'study' : 'studies'}`}
      word={label}
      text={`The media, the records and the evidence of this source go, ${size(media.bytes + own.bytes + evidence.bytes)}. ${keptWords(shared.bytes)} ${runtimes > 0 ? 'Its studies have to be deleted first.' : ''} It cannot be undone.`}
      button="Delete the source"
    />
  );
};

/** A study with what it takes. */
const RuntimeUse = ({
  use,
  name,
  ...row
}: RowProps<RuntimeDiskUse> & {
  /** Its source and range; null if they are not at hand. */
  readonly name: string | null;
}) => {
  const { runtimeId, journal, own, shared } = use;
  const short = runtimeId.slice(runtimeId.indexOf(':') + 1).slice(0, 8);
  return (
    <UseRow
      {...row}
      title={
        <a href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>
          {name ?? 'Study'} <span class="quiet mono">{short}</span>
        </a>
      }
      words={`journal ${size(journal.bytes)} in ${counted(journal.events, 'event')}, records ${size(own.bytes)}`}
      word={short}
      text={`The journal and the records of this study go, ${size(journal.bytes + own.bytes)}, with its captions and explanations. Its evidence stays for other studies of the source. ${keptWords(shared.bytes)} It cannot be undone.`}
      button="Delete the study"
    />
  );
};

const keptWords = (bytes: number): string => (bytes === 0 ? '' : `${size(bytes)} stay, because others rest on them.`);

interface UseRowProps extends Omit<RowProps<unknown>, 'use'> {
  readonly title: ComponentChildren;
  readonly words: string;
  readonly word: string;
  readonly text: string;
  readonly button: string;
}

function UseRow({ title, words, word, text, button, isOpen, onOpen, onGone, erase }: UseRowProps) {
  const act = async () => {
    await erase();
    onGone();
  };
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-title">{title}</p>
        <p class="quiet">{words}</p>
      </div>
      <button type="button" aria-expanded={isOpen} onClick={onOpen}>
        Delete…<span class="sr"> {word}</span>
      </button>
      {isOpen && (
        <div class="row-details">
          <TypedConfirmation text={text} word={word} button={button} onConfirm={act} onLeave={onOpen} />
        </div>
      )}
    </li>
  );
}

const names: Readonly<Record<string, string>> = {
  object: 'Files that nothing uses any more',
  quarantine: 'Files in quarantine',
  inbox: 'Leftovers of uploads',
  work: 'Leftovers of work',
};

const sum = (of: GarbageCollection['removed'], part: keyof FilesAndBytes): number =>
  Object.values(of).reduce((all, each) => all + each[part], 0);

/** Removes the files that no record reaches. It lists them before it removes any. */
function CleanUp({ onCleaned }: { readonly onCleaned: () => void }) {
  const host = useHost();
  const { action, run } = useAction();
  const [found, setFound] = useState<GarbageCollection | null>(null);
  const look = () => run(async () => setFound(await host.deletions.collect({ dryRun: true })));
  const clean = async () => {
    setFound(await host.deletions.collect({ dryRun: false }));
    onCleaned();
  };
  const isEmpty = found !== null && sum(found.removed, 'files') === 0;
  return (
    <section class="panel" aria-labelledby="clean-up">
      <h3 id="clean-up">Clean up</h3>
      <p>Removes files that nothing uses any more, and what unfinished uploads and work left behind.</p>
      <button type="button" disabled={action.state === 'busy'} onClick={look}>
        {action.state === 'busy' ? 'Looking' : 'See what would go'}
      </button>
      {action.state === 'failed' && <Failed error={action.error} />}
      {found !== null && (
        <div aria-live="polite">
          <p>
            <strong>{found.dryRun ? (isEmpty ? 'Nothing would go.' : 'This would go:') : 'This is gone:'}</strong>{' '}
            {sum(found.kept, 'files') > 0 &&
              `${size(sum(found.kept, 'bytes'))} are too young, because work under way may need them.`}
          </p>
          {!isEmpty && (
            <Facts
              of={Object.entries(found.removed)
                .filter(([, { files }]) => files > 0)
                .map(([kind, { files, bytes }]) => [
                  names[kind] ?? kind,
                  `${files.toLocaleString()} ${files === 1 ? 'file' : 'files'}, ${size(bytes)}`,
                ])}
            />
          )}
        </div>
      )}
      {found?.dryRun === true && !isEmpty && (
        <TypedConfirmation
          text="You cannot undo this."
          word="clean up"
          button="Clean up"
          onConfirm={clean}
          onLeave={() => setFound(null)}
        />
      )}
    </section>
  );
}

/** Sources and studies that are listed; the largest come first. */
const listed = 20;
const operator = 'console';
/** The newest studies, which are named by their source and range; older ones by their id alone. */
const namedRows = 200;

const nameOf = ({ label, range }: RuntimeRow): string =>
  `${label ?? 'a source that was deleted'}, ${rangeCode(range.startMs, range.endMs)}`;

/** On a phone lists are folded. */
const isWide = (): boolean => matchMedia('(min-width: 641px)').matches;

/** The use of the disk, and ways to free space. */
export function Disk() {
  const host = useHost();
  const { remote, reload } = useRemote(async () => {
    const [use, { runtimes: rows }] = await Promise.all([
      host.deletions.diskUse({ limit: listed }),
      host.runtimes({ limit: namedRows }),
    ]);
    return { ...use, names: new Map(rows.map((row) => [row.runtimeId, nameOf(row)])) };
  }, [host]);
  const [open, setOpen] = useState<string | null>(null);
  /** The host answers once a deletion is on disk, and erases what it held soon after: until then its row is still measured. */
  const [gone, setGone] = useState<readonly string[]>([]);
  const rowOf = (id: string) => ({
    isOpen: open === id,
    onOpen: () => setOpen(open === id ? null : id),
    onGone: () => {
      setOpen(null);
      setGone((before) => [...before, id]);
      reload();
    },
  });
  return (
    <section aria-labelledby="disk">
      <h2 id="disk">Disk</h2>
      <RemotePart of={remote} what="what takes space" onRetry={reload}>
        {({ total, more, names, ...rest }) => {
          const sources = rest.sources.filter(({ sourceSessionId }) => !gone.includes(sourceSessionId));
          const runtimes = rest.runtimes.filter(({ runtimeId }) => !gone.includes(runtimeId));
          return (
            <div class="stack">
              <Total total={total} />
              <details open={isWide()}>
                <summary>Sources, the largest first</summary>
                {sources.length === 0 && <Notice kind="empty" title="No source takes space" />}
                <ul class="rows tight">
                  {sources.map((use) => (
                    <SourceUse
                      key={use.sourceSessionId}
                      use={use}
                      {...rowOf(use.sourceSessionId)}
                      erase={() => host.deletions.source(use.sourceSessionId, { operator })}
                    />
                  ))}
                </ul>
              </details>
              <details>
                <summary>Studies, the largest first</summary>
                {runtimes.length === 0 && <Notice kind="empty" title="No study takes space" />}
                <ul class="rows tight">
                  {runtimes.map((use) => (
                    <RuntimeUse
                      key={use.runtimeId}
                      use={use}
                      name={names.get(use.runtimeId) ?? null}
                      {...rowOf(use.runtimeId)}
                      erase={() => host.deletions.runtime(use.runtimeId, { operator })}
                    />
                  ))}
                </ul>
              </details>
              {more.sources + more.runtimes > 0 && (
                <p class="quiet">
                  {counted(more.sources, 'more source')} and {counted(more.runtimes, 'more study', 'more studies')} are
                  smaller than these.
                </p>
              )}
            </div>
          );
        }}
      </RemotePart>
      <CleanUp onCleaned={reload} />
    </section>
  );
}

const Total = ({ total }: { readonly total: DiskUse['total'] }) => (
  <Facts
    of={[
      ['Total', `${size(total.bytes)}, and ${size(total.freeBytes)} are free`],
      ['Media and evidence', `${size(total.objects.bytes)} in ${total.objects.files.toLocaleString()} files`],
      ['Records', size(total.ledger.bytes)],
      ['No longer used', size(total.unreached.bytes)],
      ['Unfinished uploads and work', size(total.inbox.bytes + total.work.bytes + total.quarantine.bytes)],
    ]}
  />
);
