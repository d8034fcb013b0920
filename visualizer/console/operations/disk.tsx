import { useState } from 'preact/hooks';
import type { DiskUse } from '../../../contract/deletion.ts';
import type { RuntimeRow } from '../../../contract/study/status.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Facts } from '../parts/facts.tsx';
import { Notice } from '../parts/notice.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { counted } from '../words/counted.ts';
import { size } from '../words/sizes.ts';
import { rangeCode } from '../words/time-code.ts';
import { CleanUp } from './clean-up.tsx';
import { RuntimeUse, SourceUse } from './disk-rows.tsx';

/** Sources and studies that are listed; the largest come first. */
const listed = 20;
const operator = 'console';
/** The newest studies, which are named by their source and range; older ones by their id alone. */
const namedRows = 200;

const nameOf = ({ label, range }: RuntimeRow): string =>
  `${label ?? 'a source that is gone'}, ${rangeCode(range.startMs, range.endMs)}`;

/** What takes space, and ways to give it back. */
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
              <h3>Sources, the largest first</h3>
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
              <h3>Studies, the largest first</h3>
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
      ['Data root', `${size(total.bytes)}, and ${size(total.freeBytes)} are free`],
      ['Objects', `${size(total.objects.bytes)} in ${total.objects.files.toLocaleString()} files`],
      ['Ledger', size(total.ledger.bytes)],
      ['Reached by no record', size(total.unreached.bytes)],
      ['Uploads and work', size(total.inbox.bytes + total.work.bytes + total.quarantine.bytes)],
    ]}
  />
);
