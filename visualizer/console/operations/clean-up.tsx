import { useState } from 'preact/hooks';
import type { FilesAndBytes, GarbageCollection } from '../../../contract/deletion.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { Facts } from '../parts/facts.tsx';
import { Failed } from '../parts/notice.tsx';
import { TypedDeed } from '../parts/typed-deed.tsx';
import { size } from '../words/sizes.ts';

const names: Readonly<Record<string, string>> = {
  object: 'Objects that no record reaches',
  quarantine: 'Files in quarantine',
  inbox: 'Leftovers of uploads',
  work: 'Leftovers of work',
};

const sum = (of: GarbageCollection['removed'], part: keyof FilesAndBytes): number =>
  Object.values(of).reduce((all, each) => all + each[part], 0);

/** Removes what no record reaches. What would go is said before anything goes. */
export function CleanUp({ onCleaned }: { readonly onCleaned: () => void }) {
  const host = useHost();
  const { deed, run } = useDeed();
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
      <p>Objects that no record reaches, and leftovers of uploads and of work that are old enough, can go.</p>
      <button type="button" disabled={deed.state === 'busy'} onClick={look}>
        {deed.state === 'busy' ? 'Looking' : 'See what would go'}
      </button>
      {deed.state === 'failed' && <Failed error={deed.error} />}
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
        <TypedDeed
          text="What goes is gone for good."
          word="clean up"
          button="Clean up"
          onDeed={clean}
          onLeave={() => setFound(null)}
        />
      )}
    </section>
  );
}
