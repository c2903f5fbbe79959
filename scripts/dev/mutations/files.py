"""Files: durable writes that reach the right file."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "files are not synced",
        "ATProtoVaultTests.DurabilityTests",
        "    func sync() throws(SystemError) {\n"
        '        try SystemError.retrying("fsync", path) { fsync(descriptor) }',
        "    func sync() throws(SystemError) {",
    ),
    Mutation(
        "a directory is not synced by its path",
        "ATProtoVaultTests.DurabilityTests",
        "defer { close(descriptor) }\n"
        '        try SystemError.retrying("fsync", path) { fsync(descriptor) }',
        "close(descriptor)",
    ),
    Mutation(
        "an open directory is not synced",
        "ATProtoVaultTests.DurabilityTests",
        "package func sync() throws(SystemError) {\n"
        '        try SystemError.retrying("fsync", path) { fsync(descriptor) }',
        "package func sync() throws(SystemError) {",
    ),
    Mutation(
        "the directory is synced before the rename",
        "ATProtoVaultTests.DurabilityTests",
        "            try directory.rename(name, to: target)\n"
        "        } catch {\n"
        "            throw error.about(path)\n"
        "        }\n"
        "        isNamed = false\n"
        "        if durably { try directory.sync() }\n",
        "            if durably { try directory.sync() }\n"
        "            try directory.rename(name, to: target)\n"
        "        } catch {\n"
        "            throw error.about(path)\n"
        "        }\n"
        "        isNamed = false\n",
    ),
    Mutation(
        "a file takes its name by the path of its directory",
        "ATPPlatformTests.FileTests",
        "try directory.rename(name, to: target)",
        'try FileSystem.rename(directory.path + "/" + name, to: path)',
    ),
    Mutation(
        "a temporary file may be another one than was written",
        "ATPPlatformTests.FileTests",
        "guard try directory.status(of: name).isSameFile(as: file.status()) else {",
        "guard try directory.status(of: name).st_dev == file.status().st_dev else {",
    ),
    Mutation(
        "a mounted key that others can write is taken",
        "EndToEndTests.EndToEnd/MountedSecretTests",
        "guard status.st_mode & 0o022 == 0 else { throw .writableFile }",
        "",
    ),
    Mutation(
        "a key that others can read is taken wherever it is",
        "EndToEndTests.EndToEnd/MountedSecretTests",
        "guard mount > 0, isSecretVolume || mount & bskyauth_mount_root != 0 else { throw .openFile }",
        "",
    ),
    Mutation(
        "a mounted key is read through a folder that others can change",
        "EndToEndTests.EndToEnd/MountedSecretTests",
        "guard status.st_mode & 0o022 == 0 || isReadOnly else { throw .openFolder(path) }",
        "_ = isReadOnly",
    ),
    Mutation(
        "a key that others can write is copied as the hint says",
        "EndToEndTests.EndToEnd/MountedSecretTests",
        "guard status.st_mode & 0o022 == 0 else { throw .writableFile }",
        "guard status.st_mode & 0o022 == 0 else { throw .openFile }",
    ),
    Mutation(
        "a vault is made where locks keep nobody out",
        "EndToEndTests.EndToEnd/DoctorFolderTests",
        "guard let lock = try tryAcquire(path), try tryAcquire(path) != nil else { return }",
        "guard let lock = try tryAcquire(path), getpid() < 0 else { return }",
    ),
]
