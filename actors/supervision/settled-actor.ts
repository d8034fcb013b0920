import { readStored } from './stored-read.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * Resolves with the state of an actor once it is none of these, and on disk. Rejects when its row turns out to be damaged,
 * as `readStored` says.
 */
export function settledActor(supervisor: Supervisor, id: string, underWay: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      try {
        const status = readStored(() => supervisor.read(id))?.status ?? '';
        if (underWay.includes(status)) return;
        resolve(status);
      } catch (error) {
        reject(error);
      }
      unwatch();
    };
    const unwatch = supervisor.watch(id, look);
    look();
  });
}
