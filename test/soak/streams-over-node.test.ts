import { streamsContract } from '../http/streams-contract.ts';

streamsContract('node');
