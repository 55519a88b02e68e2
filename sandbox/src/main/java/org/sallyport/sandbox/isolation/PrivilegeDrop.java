package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the {@code setpriv} arguments that drop a worker's privileges.
 *
 * @param setpriv the program
 * @param ownUser whether each worker gets its own uid, which requires a root server
 */
record PrivilegeDrop(Path setpriv, boolean ownUser) {
    /** Ids that distributions leave free between people, home directories and dynamic services. */
    private static final int FIRST_USER_ID = 60_706;

    private static final int USER_ID_COUNT = 478;
    /** Random, so that two servers on one machine are unlikely to use the same ids. */
    private static final int USER_ID_OFFSET = new SecureRandom().nextInt(USER_ID_COUNT);

    static int userId(WorkerIsolationSpec cell) {
        return FIRST_USER_ID + (int) Math.floorMod(USER_ID_OFFSET + cell.workerNumber(), (long) USER_ID_COUNT);
    }

    /** Returns the arguments before the command to run. That command dies with the process that started this one. */
    List<String> dropArguments(WorkerIsolationSpec cell) {
        List<String> arguments = new ArrayList<>(List.of(setpriv.toString()));
        if (ownUser) {
            arguments.addAll(List.of("--reuid=" + userId(cell), "--regid=" + userId(cell), "--clear-groups"));
        }
        arguments.addAll(List.of("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"));
        // Must come last, since a change of user resets it.
        arguments.add("--pdeathsig=KILL");
        return arguments;
    }

    /** Returns arguments without changes of capabilities, for a user that may not change them and has none to lose. */
    List<String> noNewPrivilegesArguments() {
        return List.of(setpriv.toString(), "--no-new-privs", "--pdeathsig=KILL");
    }

    /** Returns arguments that let a command die with the process that started this one. */
    List<String> dieWithParentArguments() {
        return List.of(setpriv.toString(), "--pdeathsig=KILL");
    }
}
