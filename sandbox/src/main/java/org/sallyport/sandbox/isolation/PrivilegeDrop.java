package org.sallyport.sandbox.isolation;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * How {@code setpriv} takes a worker's privileges.
 *
 * @param setpriv the program
 * @param ownUser whether each worker gets a uid of its own, which takes a root server
 */
record PrivilegeDrop(Path setpriv, boolean ownUser) {
    /** Numbers that distributions leave free between people, home directories and dynamic services. */
    private static final int FIRST_USER_ID = 60_706;

    private static final int USER_ID_COUNT = 478;
    /** Two servers of one machine should not use the same numbers. */
    private static final int USER_ID_OFFSET = new SecureRandom().nextInt(USER_ID_COUNT);

    static int userId(WorkerIsolationSpec cell) {
        return FIRST_USER_ID + (int) Math.floorMod(USER_ID_OFFSET + cell.workerNumber(), (long) USER_ID_COUNT);
    }

    /** Arguments that end where the command to run follows; that command dies with the process that started this one. */
    List<String> dropArguments(WorkerIsolationSpec cell) {
        List<String> arguments = new ArrayList<>(List.of(setpriv.toString()));
        if (ownUser) {
            arguments.addAll(List.of("--reuid=" + userId(cell), "--regid=" + userId(cell), "--clear-groups"));
        }
        arguments.addAll(List.of("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"));
        // Last of all, since a change of user forgets it.
        arguments.add("--pdeathsig=KILL");
        return arguments;
    }

    /** The same for who may not change capabilities: has none to lose. */
    List<String> noNewPrivilegesArguments() {
        return List.of(setpriv.toString(), "--no-new-privs", "--pdeathsig=KILL");
    }

    /** Arguments with which a command dies with the process that started this one. */
    List<String> dieWithParentArguments() {
        return List.of(setpriv.toString(), "--pdeathsig=KILL");
    }
}
