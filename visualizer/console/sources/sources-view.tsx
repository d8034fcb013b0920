import { useHost } from '../host/use-host.ts';
import { useAfterMoves } from '../host/use-moves.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { useStore } from '../host/use-store.ts';
import { Notice } from '../parts/notice.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { AddFile } from './add-file.tsx';
import { AddVideo } from './add-video.tsx';
import { IngestList, isOfIngest } from './ingest-list.tsx';
import { SourceTable } from './source-table.tsx';
import { uploads } from './uploads.ts';

/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;

/** What can be studied, and how more of it gets here. */
export function SourcesView() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(() => host.sources(), [host]);
  const ended = useStore(uploads, ({ ended }) => ended);
  useAfterMoves(host, reload, isOfIngest);
  useEvery(everyMs, true, poll);
  return (
    <div class="page">
      <h1>Sources</h1>
      <div class="split">
        <section aria-labelledby="source-list">
          <h2 id="source-list">Media that can be studied</h2>
          <RemotePart of={remote} what="the sources" onRetry={reload}>
            {(sources) =>
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
        <aside aria-labelledby="add-media">
          <h2 id="add-media">Add media</h2>
          <AddFile />
          <AddVideo />
        </aside>
      </div>
    </div>
  );
}
