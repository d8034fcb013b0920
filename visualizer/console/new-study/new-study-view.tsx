import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Notice } from '../parts/notice.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { StudyForm } from './study-form.tsx';

/** What is to be studied of a source, and how. */
export function NewStudyView({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.sources(), [host]);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/sources">Sources</a>
      </p>
      <h1>New study</h1>
      <RemotePart of={remote} what="the source" onRetry={reload}>
        {(sources) => {
          const source = sources.find((each) => each.sourceSessionId === sourceSessionId);
          return source === undefined ? (
            <Notice kind="unavailable" title="This host has no such source">
              <a href="#/sources">Choose one of its sources</a>
            </Notice>
          ) : (
            <StudyForm source={source} />
          );
        }}
      </RemotePart>
    </div>
  );
}
