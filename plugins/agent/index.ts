import { prepareToolCall, toolFaces } from 'kern/contracts';
import { agentPlugin } from './plugin.ts';

export default agentPlugin({ faces: toolFaces, prepare: prepareToolCall });
