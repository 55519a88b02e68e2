package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Optional;
import org.sallyport.auth.Role;
import org.sallyport.backup.BackupException;
import org.sallyport.backup.BackupFile;
import org.sallyport.backup.BackupService;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.audit.Audited;
import org.sallyport.web.security.OperatorTenantOnly;
import org.sallyport.web.security.RolesAllowed;

/**
 * Backups of the embedded database, which contain the data of all tenants. Takes and lists them, and never returns
 * their content.
 */
@ApplicationScoped
@Path("backups")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed(Role.ADMIN)
public class BackupsResource {
    @Inject
    BackupService backups;

    @GET
    @OperatorTenantOnly
    public Response list() {
        try {
            return Response.ok(ExecutionMapper.list(
                            backups.list().stream()
                                    .map(BackupsResource::represent)
                                    .toList(),
                            Optional.empty()))
                    .build();
        } catch (BackupException e) {
            throw problem(e);
        }
    }

    /** Answers when the backup is complete. */
    @POST
    @OperatorTenantOnly
    @Audited("backup.create")
    public Response create(@Context HttpServletRequest request) {
        try {
            BackupFile file = backups.create();
            AuditRecorder.addNote(request, file.name());
            return Response.status(Response.Status.CREATED)
                    .entity(represent(file))
                    .build();
        } catch (BackupException e) {
            throw problem(e);
        }
    }

    private static ObjectNode represent(BackupFile file) {
        return ExecutionMapper.object()
                .put("name", file.name())
                .put("takenAt", file.takenAt().toString())
                .put("bytes", file.bytes())
                .put("path", file.path().toString());
    }

    private static ProblemException problem(BackupException e) {
        ProblemType type = switch (e.failure()) {
            case NOT_SUPPORTED -> ProblemType.BACKUP_NOT_SUPPORTED;
            case RUNNING -> ProblemType.BACKUP_RUNNING;
            case FAILED -> ProblemType.BACKUP_FAILED;
        };
        return new ProblemException(type, String.valueOf(e.getMessage()));
    }
}
