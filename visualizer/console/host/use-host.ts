import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';

/** The client of the host, for every view below the shell. */
export const HostContext = createContext<StudyHost | null>(null);

/** The client of the host. Throws outside of the shell, which draws no view before it has one. */
export function useHost(): StudyHost {
  const host = useContext(HostContext);
  if (host === null) throw new Error('a view was drawn without a host');
  return host;
}
